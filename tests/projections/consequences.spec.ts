import { expect } from 'chai'
import {
  concernsLogoutNotices,
  endedBy,
  logoutNoticeTypes,
} from '../../adapters/application/reactions/logout-notices.ts'
import { mailTypes } from '../../adapters/outbound/mail/subscriber.ts'
import { provisioningMarkTypes } from '../../adapters/outbound/provisioning/subscriber.ts'
import { movedBy, ruleMembershipTypes } from '../../adapters/application/reactions/rule-memberships.ts'
import { catalogue, rowOf, type EventType, type Recorded } from '../../domain/catalogue.ts'
import { configurationChange } from '../../projections/tables/configuration-change.ts'
import { sessions } from '../../projections/tables/sessions.ts'
import { corpus } from '../support/domain/corpus.ts'

const types = Object.keys(catalogue) as readonly EventType[]
const consequencesOf = (type: EventType) => rowOf(type).consequences

const frozenOf = (type: EventType): Recorded =>
  corpus.get(`${type}.v${String(rowOf(type).schema)}.json`) as unknown as Recorded

describe('Consumers of the consequences', () => {
  it('EVT-01 read the types whose rows concern them', () => {
    for (const type of types) {
      const { endsSessions, movesRuleMembers, emails, marksProvisioning } = consequencesOf(type)
      expect(logoutNoticeTypes(type), type).to.equal(endsSessions !== 'none')
      expect(concernsLogoutNotices(frozenOf(type)), type).to.equal(endsSessions !== 'none')
      expect(ruleMembershipTypes(type), type).to.equal(movesRuleMembers !== 'none')
      expect(mailTypes(type), type).to.equal(emails.length > 0)
      expect(provisioningMarkTypes(type), type).to.equal(marksProvisioning)
    }
    for (const wants of [logoutNoticeTypes, ruleMembershipTypes, mailTypes, provisioningMarkTypes])
      expect(wants('user.unheard_of')).to.equal(false)
  })

  it('SES-01 every event that ends sessions changes their rows, and its sessions get sign-out notices', () => {
    for (const type of types) {
      if (consequencesOf(type).endsSessions === 'none') continue
      expect(sessions.on[type], type).not.to.equal(undefined)
      const { sessionIds, people, devices } = endedBy([frozenOf(type)])
      const ids = [
        ...sessionIds,
        ...people.map(({ userId }) => userId),
        ...devices.map(({ deviceId }) => deviceId),
      ]
      expect(ids, type).to.have.length(1)
      expect(ids[0], type).to.be.a('string')
    }
  })

  it('every event that may change memberships by rule names the users', () => {
    for (const type of types) {
      const { userIds, groupIds } = movedBy([frozenOf(type)])
      const { movesRuleMembers } = consequencesOf(type)
      expect(userIds.size, type).to.equal(movesRuleMembers === 'of_person' ? 1 : 0)
      expect(groupIds.size, type).to.equal(movesRuleMembers === 'of_group' ? 1 : 0)
      for (const id of [...userIds, ...groupIds]) expect(id, type).to.be.a('string')
    }
  })

  it('every event that changes the configuration advances the position of the configuration', () => {
    for (const type of types)
      expect(type in configurationChange.on, type).to.equal(consequencesOf(type).changesConfiguration)
  })
})
