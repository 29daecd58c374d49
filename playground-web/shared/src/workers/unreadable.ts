// For each worker: a message that the browser could not hand over, such as a module that it cannot share.

export function unreadable(): never {
  throw new Error("a message of the page could not be read");
}
