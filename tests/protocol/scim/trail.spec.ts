import { expect } from 'chai'
import { rebuildReadModels } from '../../../cli/server/rebuild.ts'
import { audited } from '../../support/audit/audit.ts'
import { directory, ENTERPRISE } from '../../support/scim/scim.ts'
import { recordingLog, testPlace, testService } from '../../support/service/service.ts'

describe('Actions of directories', function () {
  this.timeout(120_000)

  it('AUD-01 EVT-03 is recorded in the audit trail with their SCIM names, and a replay produces the same rows', async () => {
    const place = await testPlace()
    const service = await testService(place)
    try {
      const scim = await directory(service)
      const boss = await scim.user()
      const { id } = await scim.user({ [ENTERPRISE]: { manager: { value: boss.id }, department: 'D' } })
      const group = await scim.group('Staff', id)
      await scim.patch(`/Users/${String(id)}`, { op: 'replace', path: 'title', value: 'T' })
      await scim.patch(`/Users/${String(id)}`, { op: 'replace', value: { active: false } })
      await scim.patch(`/Users/${String(id)}`, { op: 'replace', value: { active: true } })
      await scim.patch(`/Groups/${String(group.id)}`, { op: 'replace', value: { displayName: 'All staff' } })
      await scim.patch(`/Groups/${String(group.id)}`, { op: 'remove', path: 'members' })
      await scim.scim('DELETE', `/Groups/${String(group.id)}`)
      await scim.scim('DELETE', `/Users/${String(id)}`)
      await audited(service)

      const auditor = await service.person({}, ['auditor'])
      const { body } = await service.api('GET', `/audit?actorId=${scim.serviceAccountId}&limit=200`, {
        as: auditor,
      })
      const entries = [...body].reverse()
      expect(entries.map(({ action }) => action as string)).to.deep.equal([
        'scim.user.create',
        'scim.user.create',
        'scim.group.create',
        'scim.group.member.add',
        'scim.user.update',
        'scim.user.suspend',
        'scim.user.reactivate',
        'scim.group.update',
        'scim.group.member.remove',
        'scim.group.delete',
        'scim.user.delete',
      ])
      for (const entry of entries)
        expect(entry).to.deep.include({
          actorType: 'scim',
          actorId: scim.serviceAccountId,
          credential: { type: 'scim_key', id: scim.keyId },
        })
      expect(entries.at(-1)).to.include({ targetType: 'user', targetId: id })
      expect(
        (await service.api('GET', '/audit?action=scim.user.suspend', { as: auditor })).body,
      ).to.have.length(1)

      await rebuildReadModels(place.config, recordingLog(), true)
    } finally {
      await service.stop()
      await place.drop()
    }
  })
})
