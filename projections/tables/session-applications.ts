import type { Recorded } from '../../domain/catalogue.ts'
import type { Rows } from '../rows.ts'
import type { Table } from '../table.ts'

type Opened = Recorded & { readonly type: 'grant.issued' | 'saml_assertion.issued' }

const keyOf = ({ data }: Opened) => ({ session_id: data.sessionId, application_id: data.applicationId })

const opened = {
  reads: (event: Opened) => [keyOf(event)],
  apply: (event: Opened, rows: Rows) => {
    const key = keyOf(event)
    const known = rows.get(key)
    rows.put({
      ...key,
      user_id: event.data.userId,
      first_at: known?.['first_at'] ?? event.metadata.time,
      last_at: event.metadata.time,
    })
  },
}

/** The applications that a session was used for. */
export const sessionApplications: Table = {
  name: 'session_applications',
  key: ['session_id', 'application_id'],
  retention: { class: 'token', age: 'first_at' },
  on: { 'grant.issued': opened, 'saml_assertion.issued': opened },
}
