import { expect } from 'chai'
import fc from 'fast-check'
import { accessPackageDecider } from '../../domain/access-package/decider.ts'
import { accessRequestDecider } from '../../domain/access-request/decider.ts'
import { apiResourceDecider } from '../../domain/api-resource/decider.ts'
import {
  applicationDecider,
  MAX_ACTIVE_SECRETS,
  type ApplicationCommand,
} from '../../domain/application/decider.ts'
import { isConfidential } from '../../domain/application/grant-types.ts'
import { deviceDecider } from '../../domain/device/decider.ts'
import { deviceAuthorizationDecider } from '../../domain/device-authorization/decider.ts'
import { grantDecider } from '../../domain/grant/decider.ts'
import { groupDecider } from '../../domain/group/decider.ts'
import { membershipDecider } from '../../domain/membership/decider.ts'
import { organizationDecider } from '../../domain/organization/decider.ts'
import { packageAssignmentDecider } from '../../domain/package-assignment/decider.ts'
import { policyDecider } from '../../domain/policy/decider.ts'
import { samlCertificateDecider } from '../../domain/saml-certificate/decider.ts'
import { sessionDecider } from '../../domain/session/decider.ts'
import { signInDecider } from '../../domain/sign-in/decider.ts'
import { sshAuthorityDecider } from '../../domain/ssh-authority/decider.ts'
import { sshCertificateDecider } from '../../domain/ssh-certificate/decider.ts'
import { sshHostCertificateDecider } from '../../domain/ssh-host-certificate/decider.ts'
import { sshPrincipalMappingDecider } from '../../domain/ssh-principal-mapping/decider.ts'
import { signingKeyDecider } from '../../domain/signing-key/decider.ts'
import { userDecider, type UserCommand } from '../../domain/user/decider.ts'
import type { UserState } from '../../domain/user/state.ts'
import type { UserEvent } from '../../domain/user/events.ts'
import * as packages from '../support/domain/access-packages.ts'
import * as random from '../support/domain/commands.ts'
import { policyCommands } from '../support/domain/policies.ts'
import { passkey } from '../support/sign-in/ada.ts'
import { at, id } from '../support/fixed.ts'
import { fold } from '../support/domain/given.ts'
import { eventsOf, play, runs } from '../support/domain/histories.ts'

import {
  sshAuthorityCommands,
  sshCertificateCommands,
  sshHostCertificateCommands,
  sshPrincipalMappingCommands,
} from '../support/domain/ssh.ts'

const joined: readonly UserCommand[] = [
  {
    type: 'invite',
    userId: id('user'),
    profile: { email: 'a', name: 'a' },
    source: 'local',
    link: { tokenHash: 'a', mailedTokenHash: null, expiresAt: at(9) },
  },
  { type: 'enroll', userId: id('user'), tokenHash: 'a', now: at(0), method: passkey(1) },
]

/** The n-th command happens after n/3 seconds, and each new secret has its own id. */
const onTheClock = (commands: readonly ApplicationCommand[]): readonly ApplicationCommand[] =>
  commands.map((command, n) => {
    if (command.type !== 'create_secret' && command.type !== 'rotate_secret') return command
    const { expiresAt, ...rest } = command as typeof command & { expiresAt?: string }
    const secret = {
      secretId: String(n),
      prefix: 'p',
      hash: 'h',
      ...(expiresAt === undefined ? {} : { expiresAt }),
    }
    return { ...rest, now: at(Math.floor(n / 3)), secret }
  })

describe('Random histories', () => {
  it('EVT-03 of users', () => {
    runs(random.userCommands(), (commands) => void play(userDecider, commands), joined)
  })
  it('EVT-03 of groups', () => {
    runs(random.groupCommands, (commands) => void play(groupDecider, commands))
  })
  it('EVT-03 of memberships', () => {
    runs(random.membershipCommands, (commands) => void play(membershipDecider, commands))
  })
  it('EVT-03 of access packages, their assignments and requests', () => {
    runs(packages.accessPackageCommands, (commands) => void play(accessPackageDecider, commands))
    runs(packages.packageAssignmentCommands, (commands) => void play(packageAssignmentDecider, commands))
    runs(packages.accessRequestCommands, (commands) => void play(accessRequestDecider, commands))
  })
  it('EVT-03 of applications', () => {
    runs(random.applicationCommands, (commands) => void play(applicationDecider, onTheClock(commands)))
  })
  it('EVT-03 of API resources', () => {
    runs(random.apiResourceCommands, (commands) => void play(apiResourceDecider, commands))
  })
  it('EVT-03 AUD-02 of devices, which have no events after removal, and of sign-in attempts', () => {
    runs(random.deviceCommands, (commands) => {
      play(deviceDecider, commands, ({ before, decision }) => {
        if (before.status === 'removed') expect(eventsOf(decision)).to.deep.equal([])
      })
    })
    runs(random.signInCommands, (commands) => void play(signInDecider, commands))
  })
  it('EVT-03 of sessions, grants, sign-ins on devices, signing keys and the organization', () => {
    runs(random.sessionCommands, (commands) => void play(sessionDecider, commands))
    runs(random.grantCommands, (commands) => void play(grantDecider, commands))
    runs(random.deviceAuthorizationCommands, (commands) => void play(deviceAuthorizationDecider, commands))
    runs(random.signingKeyCommands, (commands) => void play(signingKeyDecider, commands))
    runs(random.samlCertificateCommands, (commands) => void play(samlCertificateDecider, commands))
    runs(random.organizationCommands, (commands) => void play(organizationDecider, commands))
  })
  it('EVT-03 SSH-01 of the SSH authority, of certificates and of mappings, whose principals are single words', () => {
    runs(sshAuthorityCommands, (commands) => void play(sshAuthorityDecider, commands))
    runs(sshCertificateCommands, (commands) => {
      play(sshCertificateDecider, commands, ({ before }) => {
        expect(before.issued?.principals).not.to.deep.equal([])
      })
    })
    runs(sshHostCertificateCommands, (commands) => {
      play(sshHostCertificateDecider, commands, ({ before }) => {
        expect(before.issued?.hostNames).not.to.deep.equal([])
      })
    })
    runs(sshPrincipalMappingCommands, (commands) => {
      play(sshPrincipalMappingDecider, commands, ({ before }) => {
        for (const name of before.fields.principals) expect(name).to.match(/^[a-z]+$/)
      })
    })
  })
  it('EVT-03 SGN-06 of policies', () => {
    runs(policyCommands, (commands) => void play(policyDecider, commands))
  })

  it('SGN-03 an enrolment link works once, and never after it expired', () => {
    runs(
      random.userCommands(),
      (commands) => {
        let usable: readonly (string | null)[] = []
        play(userDecider, commands, ({ command, decision, before }) => {
          for (const { type, data } of eventsOf(decision)) {
            if (type === 'user.enrollment_link_issued') usable = [data.tokenHash, data.mailedTokenHash]
            if (type !== 'user.enrollment_link_redeemed') continue
            expect(usable).to.include(data.tokenHash)
            // A user who enrols with an identity provider uses up the link as well.
            if (command.type !== 'enroll_federated')
              expect(command.type === 'enroll' && command.now < (before.link?.expiresAt ?? '')).to.equal(true)
            usable = []
          }
        })
      },
      joined,
    )
  })

  it('SGN-05 an enrolled user loses the last sign-in method only by a reset, which issues a link', () => {
    const waysIn = ({ methods, linkedAccounts }: UserState) => methods.length + linkedAccounts.length
    runs(
      random.userCommands(),
      (commands) => {
        play(userDecider, commands, ({ before, after, command }) => {
          const lostLast = before.status === 'active' && waysIn(before) > 0 && waysIn(after) === 0
          if (lostLast && after.status === 'active') {
            expect(command.type).to.equal('reset_methods')
            expect(after.link?.kind).to.equal('reset')
          }
          const ids = after.methods.map(({ methodId }) => methodId)
          expect(new Set(ids).size).to.equal(ids.length)
        })
      },
      joined,
    )
  })

  it('SGN-02 a recovery code works once, and only in the newest set; used codes never work again', () => {
    runs(
      random.userCommands(),
      (commands) => {
        let left = new Set<string>()
        play(userDecider, commands, ({ decision, after }) => {
          for (const { type, data } of eventsOf(decision)) {
            if (type === 'user.recovery_codes_generated') left = new Set(data.hashes)
            if (type === 'user.methods_reset' || type === 'user.deleted') left = new Set()
            if (type === 'user.recovery_code_used') expect(left.delete(data.hash)).to.equal(true)
          }
          expect(after.recoveryCodes).to.have.members([...left])
        })
      },
      joined,
    )
  })

  it("SGN-02 a lockout ends by unlocking, by expiry, by a reset or with the user's deletion", () => {
    runs(
      random.userCommands(),
      (commands) => {
        play(userDecider, commands, ({ before, command, after }) => {
          if (before.lockedUntil === null || after.lockedUntil === before.lockedUntil) return
          if (after.lockedUntil !== null) {
            expect(command.type === 'lock_out' && command.now >= before.lockedUntil).to.equal(true)
            return
          }
          expect(command.type).to.be.oneOf(['unlock', 'expire_lockout', 'reset_methods', 'delete'])
          if (command.type === 'expire_lockout') expect(command.now >= before.lockedUntil).to.equal(true)
        })
      },
      joined,
    )
  })

  it('AUT-01 a session starts once, belongs to one user, and never starts after its proof was used', () => {
    runs(random.sessionCommands, (commands) => {
      play(sessionDecider, commands, ({ before, decision, after }) => {
        const [event] = eventsOf(decision)
        if (before.status === 'none') return
        expect(after.userId).to.equal(before.userId)
        expect(event?.type).not.to.equal('session.started')
        if (before.status !== 'started') expect(event).to.equal(undefined)
      })
    })
  })

  it('AUT-05 current roles are distinguished from those added and removed, each once', () => {
    runs(
      random.userCommands(),
      (commands) => {
        play(userDecider, commands, ({ before, decision }) => {
          for (const { type, data } of eventsOf(decision)) {
            if (type !== 'user.roles_changed') continue
            expect(new Set(data.roles).size).to.equal(data.roles.length)
            const expected = [...before.roles.filter((role) => !data.removed.includes(role)), ...data.added]
            expect([...data.roles].sort()).to.deep.equal(expected.sort())
            expect(data.added.length + data.removed.length).to.be.above(0)
          }
        })
      },
      joined,
    )
  })

  it('API-01 deletion is final: only erasure can follow for a user', () => {
    runs(
      random.userCommands(),
      (commands) => {
        play(userDecider, commands, ({ before, decision, after }) => {
          if (before.status !== 'deleted') return
          expect(after.status).to.equal('deleted')
          for (const { type } of eventsOf(decision)) expect(type).to.equal('user.erased')
        })
      },
      joined,
    )
  })

  it('API-01 deletion is final: no event follows for groups, API resources and applications', () => {
    runs(random.apiResourceCommands, (commands) => {
      play(apiResourceDecider, commands, ({ before, decision }) => {
        if (before.status === 'deleted') expect(eventsOf(decision)).to.deep.equal([])
      })
    })
    runs(random.groupCommands, (commands) => {
      play(groupDecider, commands, ({ before, decision }) => {
        if (before.status === 'deleted') expect(eventsOf(decision)).to.deep.equal([])
      })
    })
    runs(random.applicationCommands, (commands) => {
      play(applicationDecider, onTheClock(commands), ({ before, decision }) => {
        if (before.status === 'deleted') expect(eventsOf(decision)).to.deep.equal([])
      })
    })
  })

  it('AUT-05 the last active global administrator is never lost if the count is correct', () => {
    const ids = ['u1', 'u2', 'u3']
    const isAdmin = (state: UserState): boolean =>
      state.status === 'active' && state.roles.includes('global_admin')
    const seed: readonly UserEvent[] = [
      { type: 'user.invited', data: { userId: 'u1', profile: { email: 'e', name: 'n' }, source: 'local' } },
      { type: 'user.enrolled', data: { userId: 'u1' } },
      {
        type: 'user.roles_changed',
        data: { userId: 'u1', roles: ['global_admin'], added: ['global_admin'], removed: [] },
      },
    ]
    runs(random.userCommands(fc.constantFrom(...ids)), (commands) => {
      const states = new Map<string, UserState>(ids.map((one) => [one, userDecider.initial]))
      states.set('u1', fold(userDecider, seed))
      for (const command of commands) {
        const others = ids.filter((one) => one !== command.userId)
        const otherActiveGlobalAdmins = others.filter((one) =>
          isAdmin(states.get(one) ?? userDecider.initial),
        ).length
        const state = states.get(command.userId) ?? userDecider.initial
        const counted =
          'otherActiveGlobalAdmins' in command ? { ...command, otherActiveGlobalAdmins } : command
        states.set(
          command.userId,
          eventsOf(userDecider.decide(counted, state)).reduce(userDecider.evolve, state),
        )
        expect([...states.values()].filter(isAdmin)).not.to.deep.equal([])
      }
    })
  })

  it('OIDC-18 each source of a membership occurs once', () => {
    runs(random.membershipCommands, (commands) => {
      play(membershipDecider, commands, ({ after }) => {
        const keys = after.sources.map(({ via, sourceId }) => `${via}:${sourceId ?? ''}`)
        expect(new Set(keys).size).to.equal(keys.length)
      })
    })
  })

  it('API-10 nobody ever approves or denies a request by them or for them, nor does anybody who was not asked', () => {
    runs(packages.accessRequestCommands, (commands) => {
      play(accessRequestDecider, commands, ({ before, decision }) => {
        for (const { type, data } of eventsOf(decision)) {
          if (type !== 'access_request.approved' && type !== 'access_request.denied') continue
          if (data.approverId === null) continue
          expect([before.requesterId, before.userId]).not.to.include(data.approverId)
          expect(before.approverIds).to.include(data.approverId)
        }
      })
    })
  })

  it('GOV-01 a user has each package once, and never two that are incompatible', () => {
    runs(packages.packageAssignmentCommands, (commands) => {
      play(packageAssignmentDecider, commands, ({ command, before, after }) => {
        const ids = after.open.map(({ packageId }) => packageId)
        expect(new Set(ids).size).to.equal(ids.length)
        if (command.type !== 'grant' || after.open === before.open) return
        const { now, incompatible } = command
        const made = after.open.find(({ assignmentId }) => assignmentId === command.assignmentId)
        if (made === undefined || before.open.some(({ assignmentId }) => assignmentId === made.assignmentId))
          return
        const others = after.open.filter(
          ({ packageId, expiresAt }) =>
            packageId !== made.packageId && (expiresAt === null || expiresAt > now),
        )
        for (const { packageId } of others)
          expect(incompatible.packages.map((one) => one.packageId)).not.to.include(packageId)
      })
    })
  })

  it('OIDC-05 an application never has more than two active secrets, and a public one none', () => {
    runs(random.applicationCommands, (commands) => {
      let n = 0
      play(applicationDecider, onTheClock(commands), ({ after }) => {
        const now = at(Math.floor(n++ / 3))
        const live = after.secrets.filter(({ expiresAt }) => expiresAt === null || expiresAt > now)
        expect(live.length).to.be.at.most(
          after.protocol === 'oidc' && isConfidential(after.applicationType) ? MAX_ACTIVE_SECRETS : 0,
        )
      })
    })
  })

  it('APR-01 an API resource has each scope once, an application each grant, and no grant is empty', () => {
    runs(random.apiResourceCommands, (commands) => {
      play(apiResourceDecider, commands, ({ after }) => {
        expect(new Set(after.scopes.map(({ name }) => name)).size).to.equal(after.scopes.length)
      })
    })
    runs(random.applicationCommands, (commands) => {
      play(applicationDecider, onTheClock(commands), ({ after }) => {
        const { apiGrants } = after
        expect(new Set(apiGrants.map(({ apiResourceId }) => apiResourceId)).size).to.equal(apiGrants.length)
        for (const { scopes } of apiGrants) expect(scopes).not.to.deep.equal([])
      })
    })
  })

  it('ASG-01 an application has each group once', () => {
    runs(random.applicationCommands, (commands) => {
      play(applicationDecider, onTheClock(commands), ({ after }) => {
        expect(new Set(after.groupIds).size).to.equal(after.groupIds.length)
      })
    })
  })
})
