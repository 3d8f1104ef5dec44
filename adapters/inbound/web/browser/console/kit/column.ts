import type { ReactNode } from 'react'

export interface Column<Item> {
  readonly name: string
  readonly label: string
  readonly cell: (item: Item) => ReactNode
  /** Its text in exports; columns without are left out */
  readonly text?: (item: Item) => string
  /** The key of `?sort=`, if the list can be sorted by it */
  readonly sort?: string
}
