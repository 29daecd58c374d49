// The colours of verdicts in our views - met and accepted, missed and rejected, not known. Those of themes are made for icons: few of them can be read as text
// on a light background, so these are ours, one set for light themes and one for dark ones.

export const VERDICT_COLOURS = `
  body.vscode-light, body.vscode-high-contrast-light { --good: #1f7f30; --bad: #b3261e; --open: #8a5a00; }
  body { --good: #73c991; --bad: #f48771; --open: #e2b340; }`;
