import { expect } from 'chai'
import { defaultSettings, organizationDecider } from '../../domain/organization/decider.ts'
import type { OrganizationEvent } from '../../domain/organization/events.ts'
import { given } from '../support/domain/given.ts'

const updated = (field: string, from: unknown, to: unknown): OrganizationEvent => ({
  type: 'organization.updated',
  data: { changes: [{ field, from, to }] },
})

describe('The organization', () => {
  it('AUT-01 API-07 starts with sessions of 12 hours and invitations of 7 days', () => {
    expect(defaultSettings).to.deep.include({ sessionLifetimeMinutes: 12 * 60, inviteLifetimeHours: 7 * 24 })
  })
  it('API-03 records what changes', () => {
    given(organizationDecider)
      .when({ type: 'update', fields: { sessionLifetimeMinutes: 480, inviteLifetimeHours: 168 } })
      .then(updated('sessionLifetimeMinutes', 720, 480))
    given(organizationDecider, updated('supportEmail', null, 'help@example.com'))
      .when({ type: 'update', fields: { supportEmail: null } })
      .then(updated('supportEmail', 'help@example.com', null))
  })
  it('API-03 changes nothing when all fields have the requested values', () => {
    given(organizationDecider).when({ type: 'update', fields: {} }).changesNothing()
    given(organizationDecider)
      .when({ type: 'update', fields: { ...defaultSettings, supportEmail: null } })
      .changesNothing()
  })
})
