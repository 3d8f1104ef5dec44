/** SSH certificates in a browser: what a user gets and revokes, and what administrators map and revoke. */
import { expect } from 'chai'
import { apiKey } from '../support/api/api-keys.ts'
import { newId } from '../../adapters/kernel/ids.ts'
import { atAccount } from '../support/browser/account-browser.ts'
import { consoleScenarios } from '../support/browser/console-browser.ts'
import { recordScreens } from '../support/browser/screens.ts'
import { testService, type TestPerson, type TestService } from '../support/service/service.ts'
import { newKeyOf } from '../support/ssh/openssh-keys.ts'
import { readCertificate } from '../support/ssh/read-certificate.ts'
import { pick } from '../support/browser/pick.ts'

describe('SSH certificates in a browser', function () {
  this.timeout(120_000)
  let service: TestService
  let admin: TestPerson

  before(async () => {
    service = await testService()
    admin = await service.person({ name: 'Hedy Lamarr' }, ['global_admin'])
  })
  after(() => service.stop())

  // oxlint-disable-next-line typescript/no-explicit-any -- tests check what they expect
  const send = async (method: string, path: string, body?: unknown, as = admin): Promise<any> => {
    const answer = await service.api(method, path, { as, ...(body === undefined ? {} : { body }) })
    expect(answer.status, `${method} ${path} ${JSON.stringify(answer.body)}`).to.be.lessThan(300)
    return answer.body
  }
  const group = async (name: string, ...members: readonly string[]): Promise<string> => {
    const { id } = await send('POST', '/groups', { name: `${name} ${newId('group')}` })
    for (const userId of members) await send('PUT', `/groups/${String(id)}/members/${userId}`, {})
    return String(id)
  }
  const withConsole = consoleScenarios(() => service, ['security_admin'])

  it('SSH-01 a user gets a certificate for a pasted key, after a recent sign-in, and revokes it', async () => {
    const ada = await atAccount(service)
    try {
      const groupId = await group('Operators', ada.userId)
      await send('POST', '/ssh/principal-mappings', { groupId, principals: ['deploy', 'postgres'] })
      await ada.go('/account/security')
      await ada.press('Get certificate')
      await ada.page.fill('#ssh-public-key', 'ssh-dss AAAA')
      await ada.confirm('Get certificate')
      await ada.page.waitForSelector('dialog [role="alert"]:has-text("begins with one of ssh-ed25519")')
      await ada.sound()
      await ada.page.fill('#ssh-public-key', newKeyOf['ssh-ed25519']())
      await ada.confirm('Get certificate')
      await ada.page.waitForSelector('#certificate-ready-dialog[open]')
      await ada.sound()
      const line = await ada.page.inputValue('#ssh-certificate')
      expect(readCertificate(line)).to.deep.include({ principals: ['deploy', 'postgres'], isGenuine: true })
      const [download] = await Promise.all([ada.page.waitForEvent('download'), ada.confirm('Download')])
      expect(download.suggestedFilename()).to.equal('id_ed25519-cert.pub')
      await ada.confirm('Done')
      await ada.press('Revoke deploy, postgres')
      await ada.confirm('Revoke')
      await ada.said('The SSH certificate was revoked.')
      const [revoked] = await send('GET', '/me/ssh/certificates', undefined, await ada.as())
      expect(revoked.status).to.equal('revoked')
      expect(await ada.page.getByText('No certificate is valid now.').count()).to.equal(1)

      await ada.age()
      await ada.press('Get certificate')
      await ada.page.fill('#ssh-public-key', newKeyOf['ssh-ed25519']())
      await ada.confirm('Get certificate')
      await ada.page.waitForSelector('#again-dialog[open]')
    } finally {
      await ada.close()
    }
  })

  it('SSH-01 users without SSH principals see nothing about them', async () => {
    const ada = await atAccount(service)
    try {
      await ada.go('/account/security')
      expect(await ada.page.getByText('SSH').count()).to.equal(0)
    } finally {
      await ada.close()
    }
  })

  it('SSH-01 an administrator maps a group, corrects it and deletes the mapping', () =>
    withConsole(async ({ page, go, sound }) => {
      const dialog = page.getByRole('dialog')
      const { name } = await send('GET', `/groups/${await group('Database')}`)
      await go('/console/ssh-principal-mappings')
      await page.getByRole('button', { name: 'Map group' }).click()
      await dialog.getByRole('button', { name: 'Map group' }).click()
      await dialog.getByText('Choose a group.').waitFor()
      await pick(dialog.getByRole('combobox', { name: 'Group' }), String(name))
      await dialog.getByLabel('Principals').fill('postgres\nroot,admin')
      await dialog.getByRole('button', { name: 'Map group' }).click()
      await page.locator('[aria-invalid="true"][name="principals"]').waitFor()
      await sound()
      await dialog.getByLabel('Principals').fill('postgres\nbackup')
      await dialog.getByLabel('Longest validity').fill('30')
      await dialog.getByLabel('Only from these addresses').fill('192.0.2.7/24')
      await dialog.getByRole('button', { name: 'Map group' }).click()
      await dialog.waitFor({ state: 'detached' })
      await page.getByRole('heading', { name: 'backup, postgres' }).waitFor()
      await page.getByText('30 minutes').waitFor()
      await page.getByText('192.0.2.0/24').waitFor()
      await page.getByRole('cell', { name: /^Mapped the group Database/ }).waitFor()
      await page.getByRole('button', { name: 'Edit' }).click()
      await dialog.getByLabel('Longest validity').fill('')
      await dialog.getByLabel('Port forwarding').uncheck()
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.waitFor({ state: 'detached' })
      await page.getByText('24 hours').waitFor()
      await page.getByRole('button', { name: 'Delete' }).click()
      await dialog.getByText('revoke them if necessary').waitFor()
      await dialog.getByRole('button', { name: 'Delete' }).click()
      await page.getByRole('heading', { name: 'SSH principals' }).waitFor()
      const left = await send('GET', '/ssh/principal-mappings?principal=backup')
      expect(left).to.deep.equal([])
    }))

  it('SSH-01 an administrator finds a certificate and revokes it with a reason', () =>
    withConsole(async ({ page, go }) => {
      const dialog = page.getByRole('dialog')
      const person = await service.person({ name: 'Mallory Brown' })
      const groupId = await group('Web servers', person.userId)
      await send('POST', '/ssh/principal-mappings', { groupId, principals: ['www'] })
      const { serial } = await send(
        'POST',
        '/me/ssh/certificates',
        { publicKey: newKeyOf['ssh-ed25519']() },
        person,
      )
      await go('/console/ssh-certificates?status=valid')
      const row = page.getByRole('row', { name: String(serial) })
      await row.getByRole('link').first().click()
      await page.getByRole('heading', { name: 'SSH certificate Valid' }).waitFor()
      await page.getByRole('link', { name: 'Mallory Brown' }).first().waitFor()
      await page.getByRole('button', { name: 'Revoke' }).click()
      await dialog.getByLabel('Reason').fill('The laptop was stolen')
      await dialog.getByRole('button', { name: 'Revoke' }).click()
      await dialog.waitFor({ state: 'detached' })
      await page.getByRole('heading', { name: 'SSH certificate Revoked' }).waitFor()
      await page.getByText('The laptop was stolen').waitFor()
      expect(await page.getByRole('button', { name: 'Revoke', exact: true }).count()).to.equal(0)
    }))

  it('SSH-01 an administrator gives a service account host names, and revokes a certificate of a host', () =>
    withConsole(async ({ page, go, sound }) => {
      const dialog = page.getByRole('dialog')
      const { serviceAccountId } = await apiKey(service)
      await go(`/console/service-accounts/${serviceAccountId}?tab=details`)
      await page.getByRole('button', { name: 'Change SSH host names' }).click()
      await dialog.getByText('The first names revoke all keys of the account').waitFor()
      await dialog.getByLabel('SSH host names').fill('web01.example.com\nWEB02.example.com')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await page.locator('[aria-invalid="true"][name="hostNames"]').waitFor()
      await sound()
      await dialog.getByLabel('SSH host names').fill('web01.example.com\n\n *.web.example.com ')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.waitFor({ state: 'detached' })
      await page.getByText('web01.example.com, *.web.example.com').waitFor()
      const { send: asHost } = await apiKey(service, { sshHostNames: ['db01.example.com'] })
      const body = { publicKey: newKeyOf['ssh-ed25519']() }
      const { serial } = (await asHost('POST', '/ssh/host-certificates', body)).body
      await go('/console/ssh-host-certificates?status=valid')
      const row = page.getByRole('row', { name: String(serial) })
      await row.getByText('db01.example.com').waitFor()
      await row.getByRole('link').first().click()
      await page.getByRole('heading', { name: 'SSH host certificate Valid' }).waitFor()
      await page.getByRole('button', { name: 'Revoke' }).click()
      await dialog.getByLabel('Reason').fill('The server was sold')
      await dialog.getByRole('button', { name: 'Revoke' }).click()
      await dialog.waitFor({ state: 'detached' })
      await page.getByRole('heading', { name: 'SSH host certificate Revoked' }).waitFor()
      await page.getByText('The server was sold').waitFor()
    }))

  for (const [screen, options] of Object.entries(recordScreens))
    it(`has accessible pages that fit and violate no policy ${screen}`, () =>
      withConsole(
        async ({ go, sound, person }) => {
          const groupId = await group('Staff', person.userId)
          const mapping = await send('POST', '/ssh/principal-mappings', {
            groupId,
            principals: ['deploy', 'postgres', 'build-agent@ci.example.com'],
            sourceAddresses: ['192.0.2.0/24', '2001:db8:1234::/48'],
          })
          const { serial } = await send(
            'POST',
            '/me/ssh/certificates',
            { publicKey: newKeyOf['ssh-ed25519']() },
            person,
          )
          const host = await apiKey(service, { sshHostNames: ['web01.example.com', '*.web.example.com'] })
          const certified = await host.send('POST', '/ssh/host-certificates', {
            publicKey: newKeyOf['ssh-ed25519'](),
          })
          for (const path of [
            'ssh-principal-mappings',
            `ssh-principal-mappings/${String(mapping.id)}`,
            'ssh-certificates',
            `ssh-certificates/${String(serial)}`,
            'ssh-host-certificates',
            `ssh-host-certificates/${String(certified.body.serial)}`,
            `service-accounts/${host.serviceAccountId}?tab=details`,
            'keys',
          ]) {
            await go(`/console/${path}`)
            await sound()
          }
        },
        ['global_admin'],
        options,
      ))
})
