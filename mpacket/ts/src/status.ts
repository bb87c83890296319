/** What a server says about itself in the server list: the JSON of a status response. */
export interface Status {
  version: { name: string; protocol: number };
  /** Missing when the server hides them. */
  players?: { max: number; online: number; sample?: { name: string; id: string }[] };
  /** A text component. */
  description?: unknown;
  /** data:image/png;base64,… */
  favicon?: string;
  /** Whether players need a signed chat key. */
  enforcesSecureChat?: boolean;
}

/** How deep text components may nest before plainText looks no further. */
const MAX_COMPONENT_DEPTH = 512;

/**
 * Returns the text of a component without its styles: a string, a list of components, or an object with
 * a text and more components. Anything else has none.
 */
export function plainText(component: unknown, depth = 0): string {
  if (typeof component === "string") return component;
  if (typeof component !== "object" || component === null || depth > MAX_COMPONENT_DEPTH) return "";
  if (Array.isArray(component)) return component.map((part) => plainText(part, depth + 1)).join("");
  const { text, extra } = component as { text?: unknown; extra?: unknown };
  return plainText(text, depth + 1) + plainText(extra, depth + 1);
}

/** Returns the JSON of a text component without styles. */
export function textComponent(text: string): string {
  return JSON.stringify({ text });
}
