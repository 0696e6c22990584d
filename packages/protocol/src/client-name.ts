/** How a program names itself to the control API. What it says is claimed, not proven. */
export interface ClientName {
  /** 1 to 64 of letters, digits, `.`, `_` and `-`, the first a letter or digit. */
  readonly name: string;
  /** The same, and `+`. */
  readonly version: string;
}

/** The header field that has it: `Reeve-Client: NAME/VERSION`. */
export const CLIENT_HEADER = 'reeve-client';

const SHAPE = /^([A-Za-z0-9][\w.-]{0,63})\/([A-Za-z0-9][\w.+-]{0,63})$/;

/** Undefined where the text is no name with a version. */
export function parseClientName(text: string): ClientName | undefined {
  const [, name, version] = SHAPE.exec(text) ?? [];
  return name === undefined || version === undefined ? undefined : { name, version };
}
