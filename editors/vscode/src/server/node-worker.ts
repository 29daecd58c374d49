// The page's worker as a thread of Node: gives it what a browser's worker has.

import { parentPort } from "node:worker_threads";

const scope = globalThis as unknown as {
  self: unknown;
  postMessage: (message: unknown) => void;
  onmessage?: (event: { data: unknown }) => void;
};
scope.self = globalThis;
scope.postMessage = (message) => parentPort?.postMessage(message);
parentPort?.on("message", (data) => scope.onmessage?.({ data }));

// After the lines above: it takes hold of what they set.
void import("@coopmat/shared/workers/server");
