/** Every screen of the console that has an address or a dialog of its own. */
export const SCREENS = [
  'inbox',
  'request',
  'sessions',
  'new-session',
  'session',
  'boundaries',
  'boundary',
  'servers',
  'agents',
  'policy',
  'audit',
  'sign-in',
] as const;
const SIZES = [
  ['desktop', 1280, 800],
  ['phone', 390, 844],
] as const;
const THEMES = ['light', 'dark'] as const;

/** One picture of the console; `width` and `height` are of the window and of the picture, in pixels. */
export interface Screenshot {
  readonly file: string;
  readonly screen: (typeof SCREENS)[number];
  readonly theme: (typeof THEMES)[number];
  readonly width: number;
  readonly height: number;
}

/** Every screen on a desktop and on a phone, light and dark: what docs/screenshots holds. */
export const SCREENSHOTS: readonly Screenshot[] = THEMES.flatMap((theme) =>
  SIZES.flatMap(([size, width, height]) =>
    SCREENS.map((screen) => ({ file: `${screen}-${size}-${theme}.png`, screen, theme, width, height })),
  ),
);
