// JSON schemas, as far as those of recipes and project files go: what may stand at a path, and what is said about it.

export interface Schema {
  $ref?: string;
  $defs?: Record<string, Schema>;
  definitions?: Record<string, Schema>;
  description?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  items?: Schema;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
}

/** A schema and all that it is made of: what it refers to, and its alternatives. */
function parts(root: Schema, schema: Schema, depth = 0): Schema[] {
  if (depth > 8) return [schema];
  const name = schema.$ref?.replace(/^#\/(\$defs|definitions)\//, "");
  const referred = name === undefined ? undefined : (root.$defs?.[name] ?? root.definitions?.[name]);
  const inner = [
    ...(referred ? [referred] : []),
    ...(schema.allOf ?? []),
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
  ];
  return [schema, ...inner.flatMap((one) => parts(root, one, depth + 1))];
}

const isList = (schema: Schema) => schema.items !== undefined;

/** Steps into lists without a key, as the tables of TOML's lists have none. */
const elements = (root: Schema, schemas: readonly Schema[]): Schema[] =>
  schemas.flatMap((one) => (one.items ? [one, ...elements(root, parts(root, one.items))] : [one]));

/** All schemas that what is at a path may follow. */
export function at(root: Schema, path: readonly string[]): Schema[] {
  let here = elements(root, parts(root, root));
  for (const key of path) {
    const next = here.flatMap(({ properties, additionalProperties }) => {
      const own = properties?.[key];
      if (own) return [own];
      return typeof additionalProperties === "object" ? [additionalProperties] : [];
    });
    here = elements(
      root,
      next.flatMap((one) => parts(root, one)),
    );
  }
  return here;
}

export interface Key {
  name: string;
  description: string;
  /** A list of tables, a table, or a value. */
  form: "list" | "table" | "value";
}

const describe = (root: Schema, schema: Schema) =>
  parts(root, schema).find(({ description }) => description)?.description ?? "";

/** The keys that a table at a path may have. */
export function keys(root: Schema, path: readonly string[]): Key[] {
  const found = new Map<string, Key>();
  for (const { properties } of at(root, path))
    for (const [name, schema] of Object.entries(properties ?? {})) {
      if (found.has(name)) continue;
      const all = parts(root, schema);
      const list = all.find(isList);
      const tables = (one: Schema) => parts(root, one).some(({ properties }) => properties !== undefined);
      const form =
        list?.items && tables(list.items)
          ? "list"
          : all.some(
                ({ properties, additionalProperties }) =>
                  properties ?? typeof additionalProperties === "object",
              )
            ? "table"
            : "value";
      found.set(name, { name, description: describe(root, schema), form });
    }
  return [...found.values()];
}

export interface Value {
  value: unknown;
  description: string;
}

/** The values that are named for a path. */
export function values(root: Schema, path: readonly string[]): Value[] {
  const found = new Map<string, Value>();
  const add = (value: unknown, description = "") => {
    if (value !== null && !found.has(JSON.stringify(value)))
      found.set(JSON.stringify(value), { value, description });
  };
  for (const schema of at(root, path)) {
    if (schema.const !== undefined) add(schema.const, schema.description);
    for (const value of schema.enum ?? []) add(value);
    if ([schema.type].flat().includes("boolean")) {
      add(true);
      add(false);
    }
  }
  return [...found.values()];
}

/** What is said about a path. */
export function description(root: Schema, path: readonly string[]): string {
  return at(root, path).find(({ description }) => description)?.description ?? "";
}

/** The headers of tables that there may be, with what is said about them. */
export function headers(root: Schema): (Key & { path: string[] })[] {
  const found: (Key & { path: string[] })[] = [];
  const walk = (path: string[]) => {
    for (const key of keys(root, path)) {
      if (key.form === "value") continue;
      const inner = [...path, key.name];
      found.push({ ...key, path: inner });
      if (inner.length < 3) walk(inner);
    }
  };
  walk([]);
  return found;
}
