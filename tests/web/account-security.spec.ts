import { expect } from 'chai'
import { userCommands } from '../../adapters/application/commands/users.ts'
import { atAccount, type AccountBrowser } from '../support/browser/account-browser.ts'
import { virtualAuthenticator } from '../support/browser/browser.ts'
import { system, testService, type TestService } from '../support/service/service.ts'

describe('sign-in methods, on the account pages', function () {
  this.timeout(120_000)
  let service: TestService
  let ada: AccountBrowser

  before(async () => {
    service = await testService()
  })
  after(() => service.stop())
  beforeEach(async () => {
    ada = await atAccount(service)
    await ada.go('/account/security')
  })
  afterEach(async () => {
    await ada.close()
    expect(ada.faults).to.deep.equal([])
  })

  const methods = async (): Promise<readonly (readonly [string, string])[]> => {
    const { body } = await service.api('GET', '/me/methods', { as: await ada.as() })
    return (body as { name: string; type: string }[]).map(({ name, type }) => [name, type] as const)
  }
  /** Replaces the device, which already has a passkey, by another one. */
  const carryKey = async (): Promise<void> => {
    await ada.device.remove()
    await virtualAuthenticator(ada.page, 'usb')
  }
  const addKey = async (name: string): Promise<void> => {
    await ada.press('Add a security key')
    await ada.page.fill('#add-key-name', name)
    await ada.confirm('Register the key')
  }

  it('SGN-01 add a security key, and show its type', async () => {
    await carryKey()
    await addKey('Blue key')
    await ada.said('Your security key is ready.')
    expect(await ada.focused()).to.equal('Sign-in methods')
    expect(await methods()).to.deep.equal([
      ['Linux computer', 'passkey'],
      ['Blue key', 'security_key'],
    ])
    expect(await ada.page.innerText('li:has-text("Blue key")')).to.contain('Security key, added')
  })

  it('SGN-01 do not add a key twice, and show no error if the prompt is closed', async () => {
    await ada.press('Add a passkey')
    await ada.confirm('Create a passkey')
    await ada.said('This device already has a passkey')
    await ada.confirm('Cancel')
    await carryKey()
    const closed = await virtualAuthenticator(ada.page, 'usb')
    await closed.remove()
    await ada.page.evaluate(
      `navigator.credentials.create = async () => { throw new DOMException('', 'NotAllowedError') }`,
    )
    await addKey('Blue key')
    await ada.said('The prompt was closed or took too long')
    expect(await methods()).to.have.length(1)
  })

  it('SGN-05 rename and remove, and explain why the last one cannot be removed', async () => {
    await ada.press('Rename Linux computer')
    expect(await ada.page.inputValue('#rename-name')).to.equal('Linux computer')
    await ada.page.fill('#rename-name', 'Laptop <i>')
    await ada.confirm('Save')
    await ada.said('The sign-in method was renamed.')
    await ada.press('Remove Laptop <i>')
    expect(await ada.page.innerText('#remove-dialog [data-subject]')).to.equal('Laptop <i>')
    await ada.confirm('Remove')
    await ada.page.waitForSelector('dialog [role="alert"]:has-text("Add another one first.")')
    await ada.sound()
    await ada.confirm('Cancel')
    expect(await ada.focused()).to.equal('Remove Laptop <i>')
    await carryKey()
    await addKey('Blue key')
    await ada.said('Your security key is ready.')
    await ada.press('Remove Laptop <i>')
    await ada.confirm('Remove')
    // This browser was signed in with it.
    await ada.at('/sign-in?return=**')
    await ada.press('Sign in with a passkey')
    await ada.said('The sign-in method was removed')
    expect(await methods()).to.deep.equal([['Blue key', 'security_key']])
  })

  it('SGN-05 report the removal of a method that was already removed elsewhere', async () => {
    const other = await service.signIn(ada.userId, ada.email)
    await carryKey()
    await addKey('Blue key')
    await ada.said('Your security key is ready.')
    const { body } = await service.api('GET', '/me/methods', { as: other })
    const gone = (body as { id: string }[])[1]?.id ?? ''
    expect((await service.api('DELETE', `/me/methods/${gone}`, { as: other })).status).to.equal(204)
    await ada.press('Remove Blue key')
    await ada.confirm('Remove')
    await ada.said('The item was not found.')
  })

  it('SGN-05 OIDC-18 require a newer sign-in, explain why, and return to the same dialog in the same session', async () => {
    const [before] = (await service.api('GET', '/me/sessions', { as: await ada.as() })).body as {
      id: string
    }[]
    await ada.age()
    await ada.press('Add a security key')
    await ada.page.fill('#add-key-name', 'Red & blue key')
    await ada.confirm('Register the key')
    await ada.page.waitForSelector('#again-dialog[open]')
    expect(await ada.page.innerText('#again-dialog')).to.contain('more than ten minutes ago')
    await ada.sound()

    // Cancelling leads back to the previous dialog.
    await ada.confirm('Cancel')
    expect(await ada.page.inputValue('#add-key-name')).to.equal('Red & blue key')
    await ada.confirm('Register the key')
    await ada.confirm('Sign in again')
    await ada.at('/sign-in?again=1&return=**')
    await ada.page.waitForSelector('text=You are signed in as')
    await ada.press('Sign in with a passkey')
    await ada.at('/account/security')
    await ada.page.waitForSelector('#add-key-dialog[open]')
    expect(await ada.page.inputValue('#add-key-name')).to.equal('Red & blue key')
    await carryKey()
    await ada.confirm('Register the key')
    await ada.said('Your security key is ready.')
    expect((await methods()).map(([name]) => name)).to.include('Red & blue key')
    const sessions = await service.api('GET', '/me/sessions', { as: await ada.as() })
    expect((sessions.body as { id: string }[]).map(({ id }) => id)).to.deep.equal([before?.id])
  })

  it('SGN-05 return to the removal of the same method', async () => {
    await carryKey()
    await addKey('Blue key')
    await ada.said('Your security key is ready.')
    await ada.age()
    await ada.press('Remove Linux computer')
    await ada.confirm('Remove')
    await ada.confirm('Sign in again')
    await ada.press('Sign in with a passkey')
    await ada.page.waitForSelector('#remove-dialog[open]')
    expect(await ada.page.innerText('#remove-dialog [data-subject]')).to.equal('Linux computer')
    await ada.page.keyboard.press('Escape')
    expect(await ada.focused()).to.equal('Remove Linux computer')
    await ada.press('Remove Linux computer')
    await ada.confirm('Remove')
    await ada.at('/sign-in?return=**')
    await ada.press('Sign in with a passkey')
    await ada.said('The sign-in method was removed')
    expect(await methods()).to.deep.equal([['Blue key', 'security_key']])
  })

  it('AUT-04 a crafted address can at most open a dialog', async () => {
    await ada.go('/account/security#open=remove&id=mth_0000')
    await ada.page.reload()
    expect(await ada.page.locator('dialog[open]').count()).to.equal(0)
    await ada.go('/account#')
    await ada.go(`/account/security#open=${encodeURIComponent('add"] , [data-open="remove')}`)
    await ada.page.reload()
    expect(await ada.page.locator('dialog[open]').count()).to.equal(0)
  })

  it('SGN-05 AUT-01 a user who has been suspended goes to the sign-in page', async () => {
    await ada.press('Remove Linux computer')
    await userCommands(service.core.services).suspend(ada.userId, undefined, 'system', system)
    await ada.confirm('Remove')
    await ada.at('/sign-in?return=%2Faccount%2Fsecurity')
  })

  it('SGN-01 report if the service cannot be reached', async () => {
    await ada.page.route('**/api/v1/**', (route) => route.abort())
    await ada.press('Rename Linux computer')
    await ada.page.fill('#rename-name', 'Laptop')
    await ada.confirm('Save')
    await ada.said('The service could not be reached')
    expect(await ada.page.inputValue('#rename-name')).to.equal('Laptop')
  })

  it('SGN-05 offer only what the organization allows users to add', async () => {
    const admin = await service.person({}, ['security_admin'])
    const off = await service.api('PATCH', '/methods/security_key', { as: admin, body: { enabled: false } })
    expect(off.status).to.equal(200)
    try {
      await ada.page.reload()
      expect(await ada.page.locator('[data-open="add-key"]').count()).to.equal(0)
      expect(await ada.page.locator('[data-open="add"]').count()).to.equal(1)
    } finally {
      await service.api('PATCH', '/methods/security_key', { as: admin, body: { enabled: true } })
    }
  })
})
