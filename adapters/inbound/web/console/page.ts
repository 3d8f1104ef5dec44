/** What a page of the console declares. */

/** The groups of the navigation, in order. */
export const pageGroups = [
  'start',
  'directory',
  'governance',
  'applications',
  'activity',
  'integrations',
  'service',
] as const
export type PageGroup = (typeof pageGroups)[number]

export interface ConsolePage {
  /** `{id}` stands for the id of a record */
  readonly path: string
  /** Pages without a group are not in the navigation; others link to them. */
  readonly group?: PageGroup
  /** The routes of the JSON API that the page uses; tests check that each route has a page. */
  readonly calls: readonly string[]
}

/** The page that shows the parts of the kit; it exists in development only. */
export const KIT_PATH = '/console/kit'
