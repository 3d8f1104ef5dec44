export interface MenuEntry {
  readonly id: string
  readonly label: string
  /** Set for an entry that switches something on and off: then the menu stays open */
  readonly checked?: boolean
  readonly dangerous?: boolean
}
