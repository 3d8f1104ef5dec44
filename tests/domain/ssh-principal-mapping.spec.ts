import { expect } from 'chai'
import fc from 'fast-check'
import { readSpan } from '../../domain/network-zone/address.ts'
import { emptyMapping, sshPrincipalMappingDecider } from '../../domain/ssh-principal-mapping/decider.ts'
import { entitlementOf } from '../../domain/ssh-principal-mapping/entitlement.ts'
import {
  sshExtensions,
  type SshPrincipalMappingEvent,
  type SshPrincipalMappingFields,
} from '../../domain/ssh-principal-mapping/events.ts'
import { id } from '../support/fixed.ts'
import { given } from '../support/domain/given.ts'

const mappingId = id('sshPrincipalMapping')
const fields: SshPrincipalMappingFields = { ...emptyMapping, groupId: id('group'), principals: ['deploy'] }
const created = (changed: Partial<SshPrincipalMappingFields> = {}): SshPrincipalMappingEvent => ({
  type: 'ssh_principal_mapping.created',
  data: { mappingId, ...fields, ...changed },
})
const create = (changed: Partial<SshPrincipalMappingFields>) =>
  ({ type: 'create', mappingId, fields: { ...fields, ...changed } }) as const

describe('An SSH principal mapping', () => {
  it('SSH-01 stores principals, addresses and extensions in one form', () => {
    given(sshPrincipalMappingDecider)
      .when(
        create({
          principals: ['root', 'deploy', 'root'],
          sourceAddresses: ['10.1.2.3/8', '::FFFF:192.0.2.7'],
          extensions: ['permit-user-rc', 'permit-pty'],
        }),
      )
      .then(
        created({
          principals: ['deploy', 'root'],
          sourceAddresses: ['10.0.0.0/8', '192.0.2.7/32'],
          extensions: ['permit-pty', 'permit-user-rc'],
        }),
      )
  })

  for (const [what, principal] of [
    ['a comma', 'deploy,root'],
    ['a line break', 'deploy\nroot'],
    ['a line break at the end', 'deploy\n'],
    ['a space', 'deploy root'],
    ['a quotation mark', 'deploy"'],
    ['a leading hyphen', '-oProxyCommand'],
    ['upper case', 'Root'],
    ['nothing', ''],
    ['65 characters', 'a'.repeat(65)],
  ] as const)
    it(`SSH-01 rejects a principal with ${what}`, () => {
      given(sshPrincipalMappingDecider)
        .when(create({ principals: ['deploy', principal] }))
        .refuses('ERR_INVALID', /principals\/1/, '/principals/1')
    })

  for (const [what, changed, field] of [
    ['no principals', { principals: [] }, '/principals'],
    ['33 principals', { principals: Array.from({ length: 33 }, (_, n) => `p${String(n)}`) }, '/principals'],
    ['a validity below five minutes', { maxValiditySeconds: 299 }, '/maxValiditySeconds'],
    ['a validity above a day', { maxValiditySeconds: 86_401 }, '/maxValiditySeconds'],
    ['no address', { sourceAddresses: ['10.0.0.0/8', 'office'] }, '/sourceAddresses/1'],
    ['51 addresses', { sourceAddresses: Array(51).fill('10.0.0.0/8') }, '/sourceAddresses'],
  ] as const)
    it(`SSH-01 rejects ${what}`, () => {
      given(sshPrincipalMappingDecider).when(create(changed)).refuses('ERR_INVALID', null, field)
      given(sshPrincipalMappingDecider, created())
        .when({ type: 'update', mappingId, fields: changed })
        .refuses('ERR_INVALID', null, field)
    })

  it('SSH-01 records only what changes', () => {
    given(sshPrincipalMappingDecider, created())
      .when({ type: 'update', mappingId, fields: { maxValiditySeconds: 600, principals: ['deploy'] } })
      .then({
        type: 'ssh_principal_mapping.updated',
        data: { mappingId, changes: [{ field: 'maxValiditySeconds', from: null, to: 600 }] },
      })
    given(sshPrincipalMappingDecider, created())
      .when({ type: 'update', mappingId, fields: { principals: ['deploy'] } })
      .changesNothing()
  })

  it('SSH-01 is gone once it was deleted', () => {
    const deleted = { type: 'ssh_principal_mapping.deleted', data: { mappingId } } as const
    given(sshPrincipalMappingDecider, created()).when({ type: 'delete', mappingId }).then(deleted)
    for (const command of [
      { type: 'delete', mappingId },
      { type: 'update', mappingId, fields: {} },
    ] as const)
      given(sshPrincipalMappingDecider, created(), deleted).when(command).refuses('ERR_NOT_FOUND')
    given(sshPrincipalMappingDecider, created(), deleted).when(create({})).refuses('ERR_CONFLICT')
  })
})

type Mapping = Omit<SshPrincipalMappingFields, 'groupId'>
const mapping = (changed: Partial<Mapping>): Mapping => ({ ...fields, ...changed })

const entitled = (mappings: readonly Mapping[], requested: readonly string[] | null = null) => {
  const result = entitlementOf(mappings, requested)
  return 'refusal' in result ? expect.fail(JSON.stringify(result.refusal)) : result
}
const refusal = (mappings: readonly Mapping[], requested: readonly string[] | null = null) => {
  const result = entitlementOf(mappings, requested)
  return 'refusal' in result ? result.refusal : expect.fail(JSON.stringify(result))
}

const randomMapping: fc.Arbitrary<Mapping> = fc.record({
  principals: fc.uniqueArray(fc.constantFrom('ada', 'deploy', 'root', 'web'), { minLength: 1, maxLength: 4 }),
  maxValiditySeconds: fc.option(fc.integer({ min: 300, max: 86_400 })),
  sourceAddresses: fc.uniqueArray(
    fc.constantFrom('10.0.0.0/8', '10.1.0.0/16', '10.1.2.0/24', '192.0.2.0/24', '2001:db8::/32'),
    { maxLength: 3 },
  ),
  extensions: fc.subarray([...sshExtensions]),
})

const inRanges = (ranges: readonly string[], address: string): boolean => {
  const found = readSpan(address)
  return (
    ranges.length === 0 ||
    ranges.some((range) => {
      const span = readSpan(range)
      return (
        span !== null &&
        found !== null &&
        span.family === found.family &&
        found.first >= span.first &&
        found.last <= span.last
      )
    })
  )
}

describe('What an SSH certificate may say', () => {
  it('SSH-02 a user without a mapped group gets none', () => {
    expect(refusal([])).to.deep.equal({ code: 'ERR_NO_PRINCIPALS' })
  })
  it('SSH-01 several groups give all principals, the shortest validity and only what all permit', () => {
    expect(
      entitled([
        mapping({ principals: ['root'], maxValiditySeconds: 900, extensions: ['permit-pty'] }),
        mapping({ principals: ['deploy'], extensions: ['permit-pty', 'permit-agent-forwarding'] }),
      ]),
    ).to.deep.equal({
      principals: ['deploy', 'root'],
      maxValiditySeconds: 900,
      sourceAddresses: [],
      extensions: ['permit-pty'],
    })
  })
  it('SSH-01 fewer principals have only the limits of the groups that give them', () => {
    const mappings = [
      mapping({ principals: ['root'], maxValiditySeconds: 900, sourceAddresses: ['192.0.2.0/24'] }),
      mapping({ principals: ['deploy'] }),
    ]
    expect(entitled(mappings, ['deploy'])).to.deep.include({
      maxValiditySeconds: 86_400,
      sourceAddresses: [],
    })
    expect(entitled(mappings, ['root'])).to.deep.include({
      maxValiditySeconds: 900,
      sourceAddresses: ['192.0.2.0/24'],
    })
  })
  it('SSH-02 a principal of no group is refused by name', () => {
    expect(refusal([mapping({})], ['deploy', 'root'])).to.deep.include({
      code: 'ERR_NO_PRINCIPALS',
      field: '/principals/1',
    })
  })
  it('SSH-01 addresses that have nothing in common are refused, not widened', () => {
    const mappings = [
      mapping({ principals: ['root'], sourceAddresses: ['192.0.2.0/24'] }),
      mapping({ principals: ['deploy'], sourceAddresses: ['198.51.100.0/24'] }),
    ]
    expect(refusal(mappings)).to.deep.include({ code: 'ERR_INVALID', field: '/principals' })
    expect(entitled(mappings, ['root']).sourceAddresses).to.deep.equal(['192.0.2.0/24'])
  })
  it('SSH-01 more principals than OpenSSH accepts are refused', () => {
    const many = Array.from({ length: 9 }, (_, group) =>
      mapping({ principals: Array.from({ length: 32 }, (__, n) => `p${String(group)}_${String(n)}`) }),
    )
    expect(refusal(many)).to.deep.include({ code: 'ERR_INVALID', field: '/principals' })
  })

  it('SSH-01 one more group never weakens a limit on the principals of the others', () => {
    const addresses = ['10.9.9.9', '10.1.9.9', '10.1.2.9', '192.0.2.9', '198.51.100.9', '2001:db8::9']
    fc.assert(
      fc.property(fc.array(randomMapping, { minLength: 1, maxLength: 4 }), (mappings) => {
        const result = entitlementOf(mappings, null)
        if ('refusal' in result) return
        for (const each of mappings) {
          expect(result.principals).to.include.members([...each.principals])
          expect(result.maxValiditySeconds).to.be.at.most(each.maxValiditySeconds ?? 86_400)
          expect(each.extensions).to.include.members([...result.extensions])
          for (const address of addresses)
            if (inRanges(result.sourceAddresses, address))
              expect(inRanges(each.sourceAddresses, address), address).to.equal(true)
        }
      }),
      { numRuns: 300, seed: 4711 },
    )
  })
})
