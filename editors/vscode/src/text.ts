// Small things about text.

/** Bytes as UTF-8; what is no UTF-8 becomes U+FFFD. */
export const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

export const escapeHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/** A word that nobody can guess, for a view's content security policy. */
export const nonce = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join(
    "",
  );
