// Made by build/documentation.ts.

declare module "virtual:documentation" {
  interface Entry {
    name: string;
    summary: string;
  }
  export const diagnostics: Entry[];
  export const extensions: Entry[];
}
