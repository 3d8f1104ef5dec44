import { expect } from 'chai'
import { enrol } from '../../support/mail/mail.ts'
import { directory } from '../../support/scim/scim.ts'
import { testPlace, testService } from '../../support/service/service.ts'
import { until } from '../../support/until.ts'

describe('Users whom a directory creates', function () {
  this.timeout(60_000)

  it('SCIM-01 get a link by email that enrols them, inactive users get it once they are activated', async () => {
    const place = await testPlace({ dev: true })
    const service = await testService(place)
    try {
      const scim = await directory(service)
      const links = async (to: string): Promise<string[]> =>
        (await service.api('GET', '/dev/outbox')).body
          .filter((message: { to: string }) => message.to === to)
          .flatMap((message: { links: string[] }) => message.links)
      const enrolled = async (to: string): Promise<void> => {
        await until(async () => (await links(to)).length > 0, 10_000, `an email to ${to}`)
        const [link = ''] = await links(to)
        expect((await enrol(service, link.split('/').at(-1) ?? '')).status).to.equal(200)
      }

      const { id } = await scim.user({ userName: 'later@example.com', active: false })
      await scim.user({ userName: 'now@example.com' })
      await enrolled('now@example.com')
      expect(await links('later@example.com')).to.deep.equal([])
      await scim.patch(`/Users/${String(id)}`, { op: 'replace', path: 'active', value: true })
      await enrolled('later@example.com')
    } finally {
      await service.stop()
      await place.drop()
    }
  })
})
