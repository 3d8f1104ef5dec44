/** The screens that every page is checked on: themes, contrast, sizes, zoom. */
import type { PageOptions } from './browser.ts'

const phone = { width: 375, height: 667 }

/** One by one, which takes long: `npm run campaign -- pages`. */
const each: Readonly<Record<string, PageOptions>> = {
  'in the light theme': { theme: 'light' },
  'in the dark theme': { theme: 'dark' },
  'with more contrast': { contrast: 'more' },
  'on a phone, light': { theme: 'light', viewport: phone },
  'on a phone, dark': { theme: 'dark', viewport: phone },
  'at 200 % zoom': { zoom: 2 },
  'at 320 CSS pixels': { viewport: { width: 320, height: 568 } },
}

/** Every property at least once. */
const combined: Readonly<Record<string, PageOptions>> = {
  'in the light theme': { theme: 'light' },
  'on a phone, dark': { theme: 'dark', viewport: phone },
  'with more contrast, at 200 % zoom': { contrast: 'more', zoom: 2 },
  'at 320 CSS pixels': { viewport: { width: 320, height: 568 } },
}

/** The extremes: the pages of the console share one kit. */
const extremes: Readonly<Record<string, PageOptions>> = {
  'in the light theme': { theme: 'light' },
  'at 320 CSS pixels, dark': { theme: 'dark', viewport: { width: 320, height: 568 } },
}

const every = process.env['SVC_TEST_EVERY_SCREEN'] !== undefined

export const consoleScreens = every ? each : extremes
export const screens = every ? each : combined
