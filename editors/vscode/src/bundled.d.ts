// What the bundler resolves.

declare module "*.css";
