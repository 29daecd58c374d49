// Hands a file to the person, from memory.

export function save(name: string, content: BlobPart, type = "text/plain") {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // Some browsers begin to read it only later.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
