/** What those hear who ask a language server that is no longer there. */
export const STOPPED = "the language server has stopped";
