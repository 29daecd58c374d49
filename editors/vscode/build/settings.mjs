// The server's settings as VS Code lists them, from the schema that the server's own types make: lsp/core/settings.schema.json.

const PREFIX = "coopmat-analyzer";

/** Flattens `{hover: {spirv}}` to `coopmat-analyzer.hover.spirv`. */
export function settings(schema) {
  const properties = {};
  const resolve = (node) => {
    if (node.$ref) return { ...schema.$defs[node.$ref.split("/").pop()], ...node, $ref: undefined };
    // An optional reference.
    if (node.anyOf?.length === 2 && node.anyOf[1]?.type === "null" && node.anyOf[0].$ref)
      return { ...resolve(node.anyOf[0]), ...node, anyOf: undefined };
    return node;
  };
  const visit = (path, given, fallback) => {
    const node = resolve(given);
    const initial = given.default ?? fallback ?? node.default;
    if (node.type === "object" && node.properties) {
      for (const [key, child] of Object.entries(node.properties))
        visit(`${path}.${key}`, child, initial?.[key]);
      return;
    }
    // Of the window: what differs between the folders of a workspace is said in their project files.
    const entry = { scope: "window", markdownDescription: node.description ?? "" };
    if (node.oneOf?.every((one) => one.const !== undefined || one.enum)) {
      entry.type = "string";
      entry.enum = node.oneOf.flatMap((one) => one.enum ?? [one.const]);
      entry.enumDescriptions = node.oneOf.flatMap((one) =>
        (one.enum ?? [one.const]).map(() => one.description ?? ""),
      );
    } else if (node.enum) {
      entry.type = "string";
      entry.enum = node.enum;
    } else if (node.anyOf) {
      entry.type = [...new Set(node.anyOf.flatMap((one) => resolve(one).type ?? []))];
      const items = node.anyOf.map(resolve).find((one) => one.items)?.items;
      if (items) entry.items = items;
    } else {
      for (const key of ["type", "items", "minimum", "maximum"])
        if (node[key] !== undefined) entry[key] = node[key];
    }
    if (initial !== undefined) entry.default = initial;
    properties[path] = entry;
  };
  for (const [key, child] of Object.entries(schema.properties)) visit(`${PREFIX}.${key}`, child);
  return properties;
}
