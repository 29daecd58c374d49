// Serves the built page while the tests run.

import { preview } from "vite";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    address: string;
  }
}

export default async function setup(project: TestProject) {
  const server = await preview({ preview: { host: "127.0.0.1", port: 0 }, logLevel: "warn" });
  const address = server.resolvedUrls?.local[0];
  if (!address) throw new Error("the page is not served");
  project.provide("address", address);
  return () => server.close();
}
