import fc, { type Arbitrary } from 'fast-check'
import { apiKeyDecider } from '../../../domain/api-key/decider.ts'
import { apiResourceDecider } from '../../../domain/api-resource/decider.ts'
import { applicationDecider } from '../../../domain/application/decider.ts'
import type { DomainEvent } from '../../../domain/catalogue.ts'
import type { Decider } from '../../../domain/decider.ts'
import { deviceDecider } from '../../../domain/device/decider.ts'
import { accessPackageDecider } from '../../../domain/access-package/decider.ts'
import { accessRequestDecider } from '../../../domain/access-request/decider.ts'
import { packageAssignmentDecider } from '../../../domain/package-assignment/decider.ts'
import { groupDecider } from '../../../domain/group/decider.ts'
import { membershipDecider } from '../../../domain/membership/decider.ts'
import { organizationDecider } from '../../../domain/organization/decider.ts'
import { provisionedAccountDecider } from '../../../domain/provisioned-account/decider.ts'
import { applicationLogoDecider } from '../../../domain/application-logo/decider.ts'
import { provisioningDecider } from '../../../domain/provisioning/decider.ts'
import { riskDecider } from '../../../domain/risk/decider.ts'
import { serviceAccountDecider } from '../../../domain/service-account/decider.ts'
import { sessionDecider } from '../../../domain/session/decider.ts'
import { signInDecider } from '../../../domain/sign-in/decider.ts'
import { userDecider } from '../../../domain/user/decider.ts'
import {
  apiResourceCommands,
  applicationCommands,
  deviceCommands,
  groupCommands,
  membershipCommands,
  provisionedAccountReports,
  applicationLogoCommands,
  provisioningCommands,
  userCommands,
} from './commands.ts'
import { apiKeyCommands, serviceAccountCommands } from './service-accounts.ts'
import { accessPackageCommands, accessRequestCommands, packageAssignmentCommands } from './access-packages.ts'
import { riskCommands } from './risks.ts'
import { at, id } from '../fixed.ts'

type Ask = readonly [stream: string, decider: Decider<unknown, unknown, DomainEvent>, command: object]

const few = fc.integer({ min: 1, max: 3 })
const ask = (stream: string, decider: unknown, command: object): Ask => [
  stream,
  decider as Decider<unknown, unknown, DomainEvent>,
  command,
]

/** Gives each record its own value where no two records may share one. */
const ownMethod = (n: number, command: object): object =>
  'method' in command
    ? {
        ...command,
        method: {
          ...(command.method as object),
          methodId: id('method', n),
          credentialId: `credential-${String(n)}`,
        },
      }
    : command

/** The API accepts no other values for these fields. */
const allowed = ([field, value]: [string, unknown]): boolean =>
  field === 'name' || field === 'email'
    ? typeof value === 'string'
    : field === 'custom' || field === 'requesters' || field === 'approval'
      ? typeof value === 'object'
      : typeof value !== 'object' || value === null

const withinSchema = (command: object): object => {
  const checked: Record<string, unknown> = { ...command }
  for (const part of ['fields', 'settings'])
    if (part in checked)
      checked[part] = Object.fromEntries(
        Object.entries(checked[part] as object).filter(
          (entry) => Array.isArray(entry[1]) || allowed(entry as [string, unknown]),
        ),
      )
  return checked
}

const asks: Arbitrary<Ask> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .tuple(few, userCommands())
      .map(([n, command]) =>
        ask(`user-${String(n)}`, userDecider, ownMethod(n, { ...command, userId: id('user', n) })),
      ),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(few, groupCommands)
      .map(([n, command]) =>
        ask(`group-${String(n)}`, groupDecider, { ...command, groupId: id('group', n) }),
      ),
  },
  {
    weight: 4,
    arbitrary: fc.tuple(few, few, membershipCommands).map(([g, u, command]) =>
      ask(`membership-${String(g)}:${String(u)}`, membershipDecider, {
        ...command,
        groupId: id('group', g),
        userId: id('user', u),
      }),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(few, accessPackageCommands).map(([n, command]) =>
      ask(`access_package-${String(n)}`, accessPackageDecider, {
        ...command,
        packageId: id('accessPackage', n),
      }),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(few, few, packageAssignmentCommands).map(([n, a, command]) =>
      ask(`package_assignments-${String(n)}`, packageAssignmentDecider, {
        ...command,
        userId: id('user', n),
        // Each user has assignments of their own.
        ...('assignmentId' in command ? { assignmentId: id('packageAssignment', n * 10 + a) } : {}),
      }),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(few, accessRequestCommands).map(([n, command]) =>
      ask(`access_request-${String(n)}`, accessRequestDecider, {
        ...command,
        requestId: id('accessRequest', n),
      }),
    ),
  },
  {
    weight: 4,
    arbitrary: fc.tuple(few, few, fc.uuid(), applicationCommands).map(([n, g, secretId, command]) =>
      ask(`application-${String(n)}`, applicationDecider, {
        ...command,
        applicationId: id('application', n),
        clientId: `sv_${String(n)}`,
        now: at(5),
        secret: { secretId, prefix: 'svs_1234', hash: secretId },
        ...('groupId' in command ? { groupId: id('group', g) } : {}),
      }),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(few, apiResourceCommands).map(([n, command]) =>
      ask(`api_resource-${String(n)}`, apiResourceDecider, {
        ...command,
        apiResourceId: id('apiResource', n),
      }),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(few, few).map(([n, u]) =>
      ask(`session-${String(n)}`, sessionDecider, {
        type: 'start',
        session: {
          sessionId: id('session', n),
          userId: id('user', u),
          tokenHash: `hash-${String(n)}`,
          methods: ['passkey'],
          methodIds: [],
          amr: ['hwk'],
          authTime: at(0),
          expiresAt: at(500),
          strength: 'phishing_resistant',
          ip: null,
          userAgent: 'Firefox',
          deviceId: id('device', n),
          location: null,
          risk: 'none',
        },
      }),
    ),
  },
  {
    weight: 1,
    arbitrary: few.map((n) =>
      ask(`session-${String(n)}`, sessionDecider, {
        type: 'end',
        sessionId: id('session', n),
        reason: 'sign_out',
      }),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(few, few, deviceCommands).map(([n, u, command]) =>
      ask(`device-${String(n)}`, deviceDecider, {
        ...command,
        deviceId: id('device', n),
        device: {
          ...{
            deviceId: id('device', n),
            userId: id('user', u),
            kind: 'browser',
            cookieHash: 'c',
            name: 'n',
          },
          ...{ platform: 'linux', browser: null, osVersion: null, userAgent: null, ip: null, location: null },
        },
      }),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.nat(99), few).map(([n, u]) =>
      ask(`sign_in-${String(n)}`, signInDecider, {
        type: 'record',
        attempt: {
          ...{ signInId: id('signInEvent', n), userId: id('user', u), email: 'a@example.com', appId: null },
          ...{ result: 'success', method: 'passkey', ip: null, location: null, device: null, deviceId: null },
          ...{ userAgent: null, risk: 'none', reason: null, sessionId: null, amr: [], risks: [] },
        },
      }),
    ),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(few, few)
      .chain(([n, u]) =>
        riskCommands(id('riskEvent', n), id('user', u)).map((command) =>
          ask(`risk_event-${String(n)}`, riskDecider, command),
        ),
      ),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(few, serviceAccountCommands).map(([n, command]) =>
      ask(`service_account-${String(n)}`, serviceAccountDecider, {
        ...command,
        serviceAccountId: id('user', 10 + n),
      }),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(few, few, apiKeyCommands).map(([n, a, command]) =>
      ask(`api_key-${String(n)}`, apiKeyDecider, {
        ...command,
        keyId: id('apiKey', n),
        ...('key' in command
          ? {
              key: {
                ...command.key,
                keyId: id('apiKey', n),
                serviceAccountId: id('user', 10 + a),
                hash: `hash-${String(n)}`,
              },
            }
          : {}),
      }),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(few, applicationLogoCommands).map(([n, command]) =>
      ask(`application_logo-${String(n)}`, applicationLogoDecider, {
        ...command,
        applicationId: id('application', n),
      }),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(few, provisioningCommands).map(([n, command]) =>
      ask(`provisioning-${String(n)}`, provisioningDecider, {
        ...command,
        applicationId: id('application', n),
      }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(few, few, provisionedAccountReports).map(([n, u, report]) =>
      ask(`provisioned_account-${String(n)}:${String(u)}`, provisionedAccountDecider, {
        ...report,
        data: { ...report.data, applicationId: id('application', n), userId: id('user', u) },
      }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc
      .string()
      .map((organizationName) =>
        ask('organization', organizationDecider, { type: 'update', fields: { organizationName } }),
      ),
  },
)

/** Valid events of a few records that affect each other. */
export const histories = (length: number): Arbitrary<readonly DomainEvent[]> =>
  fc.array(asks, { minLength: length / 2, maxLength: length, size: 'max' }).map((commands) => {
    const states = new Map<string, unknown>()
    return commands.flatMap(([stream, decider, command]) => {
      const state = states.get(stream) ?? decider.initial
      const decision = decider.decide(withinSchema(command), state)
      if ('refusal' in decision) return []
      states.set(
        stream,
        decision.events.reduce((folded, event) => decider.evolve(folded, event), state),
      )
      return decision.events
    })
  })
