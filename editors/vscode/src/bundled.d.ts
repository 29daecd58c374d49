// What the bundler resolves.

declare module "*.css";

/** playground-web/src/workers/server.ts: takes hold of `self` when it is loaded. */
declare module "page-worker";
