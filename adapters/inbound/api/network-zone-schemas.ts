import { Type } from 'typebox'
import { idOf } from '../http/route.ts'
import { line, Time, Version } from '../http/schemas.ts'

const types = ['ip', 'geo', 'asn'] as const

const lists = {
  cidrs: Type.Array(
    Type.String({
      minLength: 2,
      maxLength: 64,
      title: 'an IPv4 or IPv6 address or range',
      examples: ['192.0.2.0/24'],
    }),
    {
      maxItems: 1000,
      description:
        'for type ip; stored in one form: all bits after the prefix are cleared, and IPv4-mapped IPv6 ranges become IPv4',
    },
  ),
  countries: Type.Array(
    Type.String({ pattern: '^[A-Z]{2}$', title: 'an ISO 3166-1 alpha-2 code', examples: ['DE'] }),
    {
      maxItems: 260,
      description: 'for type geo',
    },
  ),
  asns: Type.Array(Type.Integer({ minimum: 1, maximum: 4_294_967_295 }), {
    maxItems: 1000,
    description:
      'for type asn: numbers of autonomous systems. They match only if SVC_ASN_DATABASE or SVC_GEOIP_DATABASE names a file that has them; the built-in one has countries',
  }),
}

export const NetworkZoneTypes = Type.Enum([...types])

/** The fields of a network zone in requests, all optional. */
export const networkZoneInput = {
  name: line(100, 'Berlin office'),
  type: NetworkZoneTypes,
  cidrs: Type.Optional(lists.cidrs),
  countries: Type.Optional(lists.countries),
  asns: Type.Optional(lists.asns),
  anonymizers: Type.Optional(
    Type.Boolean({
      description: 'its networks hide who uses them, such as Tor exits: a sign-in from it is a risk',
    }),
  ),
  blocked: Type.Optional(
    Type.Boolean({ description: 'requests of users from it are refused, also with an existing session' }),
  ),
  trusted: Type.Optional(
    Type.Boolean({ description: 'known networks of the organization; not with blocked' }),
  ),
  force: Type.Optional(Type.Boolean({ description: 'Save even if the address of this request is blocked' })),
}

export const NetworkZone = Type.Object(
  {
    id: idOf('networkZone'),
    name: Type.String(),
    type: NetworkZoneTypes,
    cidrs: Type.Array(Type.String()),
    countries: Type.Array(Type.String()),
    asns: Type.Array(Type.Integer()),
    anonymizers: Type.Boolean(),
    blocked: Type.Boolean(),
    trusted: Type.Boolean(),
    usedBy: Type.Array(Type.Object({ policyId: idOf('policy'), name: Type.String() }), {
      description: 'Access policies that name it',
    }),
    createdAt: Time,
    updatedAt: Time,
    version: Version,
  },
  { title: 'NetworkZone' },
)

export const NetworkLookup = Type.Object(
  {
    ip: Type.String(),
    country: Type.Union([Type.String(), Type.Null()]),
    asn: Type.Union([Type.Integer(), Type.Null()]),
    zones: Type.Array(
      Type.Object({
        id: idOf('networkZone'),
        name: Type.String(),
        blocked: Type.Boolean(),
        trusted: Type.Boolean(),
      }),
    ),
  },
  { title: 'NetworkLookup' },
)
