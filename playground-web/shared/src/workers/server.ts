// The language server's worker: the same server as the native program, one piece of work at a time.

import { Server } from "../../pkg/coopmat.js";
import { instantiate } from "./instantiate";
import type { FromServer, ToServer } from "./protocol";
import { unreadable } from "./unreadable";
import { warmUp } from "./warm-up";

const post = (message: FromServer) => self.postMessage(message);

let server: Server | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
let scheduled = false;
/** What is done until somebody asks for something. */
let idle: (() => boolean) | undefined;

// A message to ourselves comes after those that already wait, and without the delay of a timer: edits overtake analyses.
const turn = new MessageChannel();
turn.port1.onmessage = () => {
  scheduled = false;
  guarded(idle ? warm : step);
};

function soon() {
  if (scheduled) return;
  scheduled = true;
  turn.port2.postMessage(null);
}

function warm() {
  if (idle?.()) soon();
  else idle = undefined;
}

function step() {
  if (!server) return;
  clearTimeout(timer);
  const wait = server.step(performance.now());
  for (const text of server.takeMessages()) post({ kind: "message", text });
  for (const text of server.takeLog()) post({ kind: "log", text });
  if (wait === 0) soon();
  else if (wait > 0) timer = setTimeout(soon, wait);
}

/** Nothing that a user types should fail here. What does has left the module in no state to go on: the page says so. */
function guarded(act: () => void) {
  try {
    act();
  } catch (error) {
    server = undefined;
    post({ kind: "broken", reason: String(error) });
  }
}

self.onmessageerror = () => guarded(unreadable);

self.onmessage = ({ data }: MessageEvent<ToServer>) =>
  guarded(() => {
    switch (data.kind) {
      case "start":
        instantiate(data.module);
        server = new Server();
        post({ kind: "ready" });
        if (data.warmUp === undefined) return;
        idle = warmUp(data.warmUp);
        soon();
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
      case "data":
        if (data.bytes) server?.putData(data.path, data.bytes);
        else server?.removeData(data.path);
        break;
    }
    idle = undefined;
    soon();
  });
