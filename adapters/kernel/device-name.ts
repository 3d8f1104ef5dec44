import type { DevicePlatform } from '../../domain/device/events.ts'
import type { Language } from './language.ts'

const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\b(?:OPR|Opera)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:HeadlessChrome|Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]

const systems: readonly (readonly [RegExp, string, DevicePlatform])[] = [
  [/\biPhone\b/, 'iPhone', 'ios'],
  [/\biPad\b/, 'iPad', 'ios'],
  [/\bAndroid\b/, 'Android', 'android'],
  [/\bCrOS\b/, 'ChromeOS', 'chromeos'],
  [/\bWindows\b/, 'Windows', 'windows'],
  [/\bMac(?:intosh| OS X)\b/, 'macOS', 'macos'],
  [/\bLinux\b/, 'Linux', 'linux'],
]

const first = <Row extends readonly [RegExp, ...unknown[]]>(
  list: readonly Row[],
  text: string,
): Row | undefined => list.find(([pattern]) => pattern.test(text))

/** Returns browser and system as text, such as `Firefox on Windows`, from a User-Agent header. */
export const deviceName = (userAgent: string | null): string => {
  const browser = first(browsers, userAgent ?? '')?.[1]
  const system = first(systems, userAgent ?? '')?.[1]
  if (browser === undefined) return system ?? 'Unknown device'
  return system === undefined ? browser : `${browser} on ${system}`
}

const combined = new RegExp(
  `^(${browsers.map(([, name]) => name).join('|')}) on (${systems.map(([, name]) => name).join('|')})$`,
)

/** Returns the name from {@link deviceName} in a language. A name that a user chose stays as it is. */
export const deviceNameIn = (name: string, language: Language): string => {
  if (language === 'en') return name
  return name === 'Unknown device' ? 'Unbekanntes Gerät' : name.replace(combined, '$1 unter $2')
}

/** Browsers on other systems send a fixed version (User-Agent reduction). */
const versions: Readonly<Partial<Record<DevicePlatform, RegExp>>> = {
  ios: /\bOS (\d+(?:_\d+)*)/,
  android: /\bAndroid (\d+(?:\.\d+)*)/,
}

/** Returns device data from a User-Agent header, except the name. */
export const deviceTraits = (
  userAgent: string | null,
): {
  readonly platform: DevicePlatform
  readonly browser: string | null
  readonly osVersion: string | null
} => {
  const text = userAgent ?? ''
  const platform = first(systems, text)?.[2] ?? 'other'
  return {
    platform,
    browser: first(browsers, text)?.[1] ?? null,
    osVersion: versions[platform]?.exec(text)?.[1]?.replaceAll('_', '.') ?? null,
  }
}
