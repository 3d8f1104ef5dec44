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

/** Every property at least once. Scenarios check the light theme on a desktop, which is their own. */
const combined: Readonly<Record<string, PageOptions>> = {
  'at 320 CSS pixels, dark': { theme: 'dark', viewport: { width: 320, height: 568 } },
  'with more contrast, at 200 % zoom': { contrast: 'more', zoom: 2 },
}

/**
 * The pages of the console share one kit: the narrowest screen is the strictest. Scenarios check the light theme on a
 * desktop, which is their own.
 */
const strictest: Readonly<Record<string, PageOptions>> = {
  'at 320 CSS pixels, dark': { theme: 'dark', viewport: { width: 320, height: 568 } },
}

/** Whether each page is checked on each screen, in the campaign. */
export const everyScreen = process.env['SVC_TEST_EVERY_SCREEN'] !== undefined

/** Of the pages about one record, which scenarios check too */
export const recordScreens: Readonly<Record<string, PageOptions>> = everyScreen ? each : {}
export const consoleScreens = everyScreen ? each : strictest
export const screens = everyScreen ? each : combined

/** The screens of a journey across many pages, which takes long. */
export const journeyScreens: Readonly<Record<string, PageOptions>> = {
  'on a phone, dark': { theme: 'dark', viewport: { width: 360, height: 640 } },
  ...(everyScreen ? { 'on a desktop': {}, 'in the dark theme': { theme: 'dark' } } : {}),
}
