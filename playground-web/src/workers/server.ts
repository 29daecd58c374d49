// The language server's worker: the same server as the native program, one piece of work at a time.

import { initSync, Server } from "../../pkg/coopmat.js";
import type { FromServer, ToServer } from "./protocol";

const post = (message: FromServer) => self.postMessage(message);

let server: Server | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
let scheduled = false;

// A message to ourselves comes after those that already wait, and without the delay of a timer: edits overtake analyses.
const turn = new MessageChannel();
turn.port1.onmessage = () => {
  scheduled = false;
  step();
};

function soon() {
  if (scheduled) return;
  scheduled = true;
  turn.port2.postMessage(null);
}

function step() {
  if (!server) return;
  clearTimeout(timer);
  try {
    const wait = server.step(performance.now());
    for (const text of server.takeMessages()) post({ kind: "message", text });
    for (const text of server.takeLog()) post({ kind: "log", text });
    if (wait === 0) soon();
    else if (wait > 0) timer = setTimeout(soon, wait);
  } catch (error) {
    // Nothing that a user types should come here; the page says so and starts another worker.
    server = undefined;
    post({ kind: "broken", reason: String(error) });
  }
}

self.onmessage = ({ data }: MessageEvent<ToServer>) => {
  switch (data.kind) {
    case "start":
      initSync({ module: data.module });
      server = new Server();
      post({ kind: "ready" });
      return;
    case "message":
      server?.receive(data.text);
      break;
    case "put":
      server?.putFile(data.path, data.text);
      break;
    case "remove":
      server?.removeFile(data.path);
      break;
  }
  soon();
};
