import { expect } from 'chai'
import { declaredRoutes } from '../../support/api/declared-routes.ts'
import { catalogueActions, expectWellFormed, isDrivenElsewhere } from '../../support/audit/audit-actions.ts'
import { accessPackageSteps } from '../../support/audit/actions/access-packages.ts'
import { apiSteps } from '../../support/audit/actions/apis.ts'
import { applicationEndSteps, applicationSteps } from '../../support/audit/actions/applications.ts'
import { groupEndSteps, groupSteps } from '../../support/audit/actions/groups.ts'
import { lifecycleSteps } from '../../support/audit/actions/lifecycle.ts'
import { auditKit, type Step } from '../../support/audit/actions/kit.ts'
import {
  deviceAuthorizationSteps,
  exportSteps,
  importSteps,
  organizationSteps,
} from '../../support/audit/actions/organization.ts'
import {
  brandingSteps,
  domainSteps,
  identityProviderSteps,
  networkZoneSteps,
  policySteps,
} from '../../support/audit/actions/policies.ts'
import { personEndSteps, personSteps } from '../../support/audit/actions/people.ts'
import { samlApplicationSteps, samlCertificateSteps } from '../../support/audit/actions/saml.ts'
import { sshSteps } from '../../support/audit/actions/ssh.ts'
import { audited } from '../../support/audit/audit.ts'
import { until } from '../../support/until.ts'
import { oidcWorld } from '../../support/oidc/oidc.ts'
import { startPlace, success, type Json, type Place } from './support.ts'

/** In this order: each builds on what the earlier ones created. */
const features = [
  personSteps,
  groupSteps,
  accessPackageSteps,
  lifecycleSteps,
  applicationSteps,
  apiSteps,
  applicationEndSteps,
  samlApplicationSteps,
  samlCertificateSteps,
  sshSteps,
  groupEndSteps,
  deviceAuthorizationSteps,
  organizationSteps,
  exportSteps,
  importSteps,
  policySteps,
  networkZoneSteps,
  domainSteps,
  identityProviderSteps,
  brandingSteps,
  personEndSteps,
]

describe('The audit trail of everything that routes do', function () {
  this.timeout(120_000)
  let place: Place
  before(async () => {
    place = await startPlace()
  })
  after(() => place.service.stop())

  it('AUD-01 every action that a route declares is recorded, once, with the names of all parties', async () => {
    const { service, send } = place
    const oidc = oidcWorld(service)
    const kit = auditKit(place)
    const { to, call, people } = kit
    people.requester = await service.person({ name: 'Rita Levi' })
    people.approver = await service.person({ name: 'Otto Hahn' })
    const steps = features.flatMap((feature) => feature(kit))

    /** What was recorded since the previous entry. */
    let last = 'aud_00000000000000000000000000'
    const news = async (): Promise<Json[]> => {
      await audited(service)
      const entries: Json[] = success(await send('GET', `/audit?after=${last}&limit=200`))
      last = entries.at(-1)?.id ?? last
      return entries
    }
    const recorded = new Set<string>()
    const check = (what: string, entries: Json[], expected: Step[1]): void => {
      const seen = entries.map(({ action, summary }) => [action, summary])
      const wanted = expected.map(([action, summary]) => [
        action,
        typeof summary === 'string' ? summary : summary(),
      ])
      expect(seen, what).to.have.deep.members(wanted)
      for (const entry of entries) {
        recorded.add(entry.action)
        expectWellFormed(entry, what)
      }
    }
    await news()
    for (const [what, expected, cause] of steps) {
      await cause()
      check(what, await news(), expected)
    }

    await send('POST', '/signing-keys/rotate')
    const rotation = (await news()).map(({ action, actorName, target }) => [action, actorName, target === ''])
    expect(rotation).to.deep.include(['signing_key.rotate', 'Grace Admin', false])
    recorded.add('signing_key.rotate')

    await call('POST', to('/users/:ada/erase'))()
    check('erasure', await news(), [['user.erase', 'Erased the personal data of a deleted user']])

    const app = await oidc.application('web')
    const person = await oidc.member(app)
    await news()
    const { refresh_token } = await oidc.tokens(app, person)
    await oidc.refresh(app, refresh_token)
    await oidc.refresh(app, refresh_token)
    const outcomes = async () => (await news()).map(({ action, outcome }) => [action, outcome])
    const reuse = await outcomes()
    await until(async () => {
      reuse.push(...(await outcomes()))
      return reuse.length >= 2
    })
    expect(reuse).to.deep.equal([
      ['token.reuse_detected', 'denied'],
      ['risk_event.detect', 'success'],
    ])
    await oidc.revoke(app, (await oidc.tokens(app, person)).refresh_token)
    expect(await outcomes()).to.deep.equal([['token.revoke', 'success']])
    for (const action of ['token.reuse_detected', 'token.revoke']) recorded.add(action)

    const declared = new Set(declaredRoutes(service.core.services).flatMap(({ audit = [] }) => audit))
    const open = [...declared, ...catalogueActions].filter((action) => !recorded.has(action))
    expect(open.filter((action) => !isDrivenElsewhere(action))).to.deep.equal([])
  })
})
