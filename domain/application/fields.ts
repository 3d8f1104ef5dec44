import type { ApplicationFields } from './events.ts'
import { redirectUriProblem } from './redirect-uri.ts'

/** What is wrong with a setting, and a JSON pointer to it. */
export interface SettingsProblem {
  readonly message: string
  readonly field: string
}

export const fieldDefaults: Omit<ApplicationFields, 'name'> = { visibleInPortal: true }

/** What is wrong with the fields that every application has; null if they are valid. */
export const fieldsProblem = (fields: ApplicationFields): SettingsProblem | null => {
  for (const name of ['launchUrl', 'logoUrl'] as const) {
    const value = fields[name]
    if (value !== undefined && redirectUriProblem(value, 'web') !== null)
      return { message: `${name}: expected an https address`, field: `/${name}` }
  }
  return null
}

/** Separates the fields of every application from those of its protocol. */
export const splitFields = <T extends ApplicationFields>(
  all: T,
): { readonly fields: ApplicationFields; readonly rest: Omit<T, keyof ApplicationFields> } => {
  const { name, description, logoUrl, launchUrl, visibleInPortal, ...rest } = all
  return {
    fields: {
      name,
      visibleInPortal,
      ...(description === undefined ? {} : { description }),
      ...(logoUrl === undefined ? {} : { logoUrl }),
      ...(launchUrl === undefined ? {} : { launchUrl }),
    },
    rest,
  }
}

const names: ReadonlySet<string> = new Set<keyof ApplicationFields>([
  'name',
  'description',
  'logoUrl',
  'launchUrl',
  'visibleInPortal',
])

export const isCommonField = (name: string): boolean => names.has(name)
