import type { Recorded } from '../../domain/catalogue.ts'
import { configurationTypes } from '../../domain/consequences.ts'
import type { Rows } from '../rows.ts'
import type { Table } from '../table.ts'

const moved = {
  apply: (event: Recorded, rows: Rows) => {
    rows.put({ id: 'configuration', position: event.position })
  },
}

/** The position of the last event after which every instance reloads its configuration. */
export const configurationChange: Table = {
  name: 'configuration_change',
  key: ['id'],
  on: Object.fromEntries(configurationTypes.map((type) => [type, moved])),
}
