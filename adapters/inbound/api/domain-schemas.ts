import { Type } from 'typebox'
import { idOf } from '../http/route.ts'
import { nullable, Time, Version } from '../http/schemas.ts'

export const DomainStatus = Type.Enum(['pending', 'verified', 'failed'], {
  description:
    'pending: not verified yet, or no longer; failed: the last check that an administrator asked for did not find the record',
})

export const DnsDomain = Type.Object(
  {
    id: idOf('domain'),
    name: Type.String({ description: 'in lower case, internationalized labels as punycode' }),
    status: DomainStatus,
    recordName: Type.String({ examples: ['_svc-challenge.example.com'] }),
    recordType: Type.Literal('TXT'),
    recordValue: Type.String({ examples: ['svc-verification=0Yb5…'] }),
    verifiedAt: nullable(Time),
    missingSince: nullable(
      Type.String({
        format: 'date-time',
        description:
          'when the record of a verified domain was first missing; it stays verified for seven days',
      }),
    ),
    lastCheckedAt: nullable(Time),
    foundInstead: Type.Array(Type.String(), { description: 'TXT records that the last check found instead' }),
    createdAt: Time,
    updatedAt: Time,
    version: Version,
  },
  { title: 'Domain' },
)
