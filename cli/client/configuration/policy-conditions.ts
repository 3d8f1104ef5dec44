/** The conditions of access policies, with names in place of ids. */
import { Type } from 'typebox'
import { applicationName } from '../../../adapters/inbound/api/application-schemas.ts'
import { groupFields } from '../../../adapters/inbound/api/group-schemas.ts'
import { networkZoneInput } from '../../../adapters/inbound/api/network-zone-schemas.ts'
import { PolicyConditionsInput } from '../../../adapters/inbound/api/policy-schemas.ts'
import { fields } from '../../../adapters/inbound/http/route.ts'
import { noConditions } from '../../../domain/policy/decider.ts'
import { isOwnApplication, type PolicyConditions } from '../../../domain/policy/events.ts'
import { CliError, exitCodes } from '../../server/exit-codes.ts'
import { named, sorted, type Field, type KindName } from './kind.ts'

const groupName = groupFields.name
const zoneName = networkZoneInput.name

/** A part of the conditions that names records. */
interface Selection {
  readonly include: string | readonly string[]
  readonly exclude: readonly string[]
}

type Conditions = Partial<Omit<PolicyConditions, 'users' | 'applications' | 'zones'>> & {
  readonly [Part in 'users' | 'applications' | 'zones']?: Partial<PolicyConditions[Part]>
}

/** All conditions, with the default of each that a file omits. */
const completeConditions = (value: unknown): PolicyConditions => {
  const given = (value ?? {}) as Conditions
  const ordered = <Part extends Selection>(part: Part): Part => ({
    ...part,
    include: typeof part.include === 'string' ? part.include : sorted(part.include),
    exclude: sorted(part.exclude),
  })
  const users = ordered({ ...noConditions.users, ...given.users })
  return {
    ...noConditions,
    ...given,
    users: { ...users, roles: sorted(users.roles) as PolicyConditions['users']['roles'] },
    applications: ordered({ ...noConditions.applications, ...given.applications }),
    zones: ordered({ ...noConditions.zones, ...given.zones }),
  }
}

const converted = (value: unknown, convert: (kind: KindName, one: string) => string): PolicyConditions => {
  const conditions = completeConditions(value)
  const within = <Part extends Selection>(kind: KindName, part: Part): Part => {
    const one = (name: string): string => (isOwnApplication(name) ? name : convert(kind, name))
    const include = typeof part.include === 'string' ? part.include : part.include.map(one)
    return { ...part, include, exclude: part.exclude.map(one) }
  }
  return {
    ...conditions,
    users: within('groups', conditions.users),
    applications: within('applications', conditions.applications),
    zones: within('network-zones', conditions.zones),
  }
}

export const policyConditions: Field = {
  toFile: (value, { nameOf }) =>
    completeConditions(
      converted(value, (kind, id) => {
        const name = nameOf(kind, id)
        // In a file, it would stand for what the service itself offers.
        if (kind === 'applications' && isOwnApplication(name))
          throw new CliError(
            exitCodes.error,
            `policies: the application ${name} is called like a part of the service. Rename it first`,
          )
        return name
      }),
    ),
  toBody: (value, { idOf }) => converted(value, idOf),
  normal: completeConditions,
}

const { users, applications, zones, ...otherConditions } = PolicyConditionsInput.properties
/** The same conditions, with names in place of ids. */
export const NamedConditions = fields({
  users: Type.Optional(
    fields({
      ...users.properties,
      include: Type.Optional(Type.Union([Type.Literal('all'), named(groupName)])),
      exclude: Type.Optional(named(groupName)),
    }),
  ),
  applications: Type.Optional(
    fields({
      ...applications.properties,
      include: Type.Optional(Type.Union([Type.Literal('all'), named(applicationName)])),
      exclude: Type.Optional(named(applicationName)),
    }),
  ),
  zones: Type.Optional(
    fields({
      ...zones.properties,
      include: Type.Optional(Type.Union([Type.Literal('any'), named(zoneName)])),
      exclude: Type.Optional(named(zoneName)),
    }),
  ),
  ...otherConditions,
})
