import { entityManagement, medium } from '../audit/ocsf-classes.ts'
import { nobody, noConsequences, type Rows } from '../catalogue-row.ts'
import type { RiskEvent } from './events.ts'

export const riskEvents = {
  'risk_event.detected': {
    schema: 1,
    audit: 'risk_event.detect',
    ocsf: entityManagement('Create', medium),
    summary: ({ wrongCodes, addresses, windowSeconds }) =>
      `Detected code guessing: ${String(wrongCodes)} wrong codes for ${String(addresses)} addresses in ${String(windowSeconds / 60)} minutes`,
    target: ({ riskEventId }) => ({ type: 'risk_event', id: riskEventId }),
    personal: [],
    subject: nobody,
    consequences: noConsequences,
  },
} as const satisfies Rows<RiskEvent>
