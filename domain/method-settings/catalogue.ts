import { nobody, type Rows } from '../catalogue-row.ts'
import type { MethodSettingsEvent } from './events.ts'

export const methodSettingsEvents: Rows<MethodSettingsEvent> = {
  'method_settings.updated': {
    schema: 1,
    audit: 'method.settings.update',
    summary: ({ methodType }) =>
      `Updated the settings of the sign-in method ${methodType.replaceAll('_', ' ')}`,
    target: ({ methodType }) => ({ type: 'method', id: methodType }),
    personal: [],
    subject: nobody,
  },
}
