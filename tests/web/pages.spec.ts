import { expect } from 'chai'
import { contentSecurityPolicy } from '../../adapters/inbound/web/kit/csp.ts'
import { errorText } from '../../adapters/inbound/web/sign-in/error-texts.ts'
import { axeFindings } from '../support/browser/axe.ts'
import { newPage, type WatchedPage } from '../support/browser/browser.ts'
import { openPageGallery, type PageGallery } from '../support/browser/page-gallery.ts'
import { samplePages } from '../support/browser/page-samples.ts'
import { everyScreen, screens } from '../support/browser/screens.ts'
import { testService } from '../support/service/service.ts'
import { askingApplication } from '../support/sign-in/asking-application.ts'
import { until } from '../support/until.ts'

const paths = Object.keys(samplePages).filter((path) => path !== '/form-post')
const dialogs: Record<string, readonly string[]> = {
  '/account': ['profile'],
  '/account/security': ['add', 'add-key', 'rename', 'remove', 'codes', 'unlink'],
  '/account/access': ['give-up', 'cancel-request'],
  '/account/approvals': ['approve-request', 'deny-request'],
  '/account/activity': ['rename-device', 'remove-device'],
}

describe('web pages', function () {
  this.timeout(120_000)
  let gallery: PageGallery

  before(async () => {
    gallery = await openPageGallery()
  })
  after(() => gallery.close())

  for (const [screen, options] of Object.entries(screens)) {
    it(`are accessible, fit and violate no policy ${screen}`, async () => {
      const { page, faults, close } = await newPage(options)
      for (const path of paths) {
        const answer = await page.goto(gallery.origin + path)
        expect(answer?.status(), path).to.equal(200)
        expect(faults, path).to.deep.equal([])
        const overflow = await page.evaluate<number>(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        )
        expect(overflow, `${path} scrolls sideways`).to.equal(0)
        expect(await axeFindings(page), path).to.deep.equal([])
      }
      await close()
    })
  }

  it('are German and fit for a reader of German', async () => {
    const { page, faults, close } = await newPage({ viewport: { width: 320, height: 568 } })
    for (const path of paths) {
      await page.goto(gallery.origin + path)
      const english = await page.title()
      await page.goto(`${gallery.origin}${path}?language=de`)
      expect(await page.getAttribute('html', 'lang'), path).to.equal('de')
      expect(await page.title(), path).not.to.equal(english)
      const overflow = await page.evaluate<number>(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      )
      expect(overflow, `${path} scrolls sideways`).to.equal(0)
      if (everyScreen) expect(await axeFindings(page), path).to.deep.equal([])
    }
    expect(faults).to.deep.equal([])
    await close()
  })

  it('have accessible dialogs in both themes', async () => {
    for (const theme of ['light', 'dark'] as const) {
      const { page, faults, close } = await newPage({ theme })
      for (const [path, names] of Object.entries(dialogs))
        for (const name of names) {
          await page.goto(gallery.origin + path)
          await page.click(`[data-open="${name}"] >> nth=0`)
          await page.waitForSelector(`#${name}-dialog[open]`)
          expect(await axeFindings(page), name).to.deep.equal([])
        }
      expect(faults).to.deep.equal([])
      await close()
    }
  })

  it('have tabs in one line on a phone, with the current one in sight, which the keyboard passes', async () => {
    const { page, faults, close } = await newPage({ viewport: { width: 320, height: 568 } })
    const tabs = page.getByRole('navigation').getByRole('link')
    const areInSight = async (name: string | null) => {
      const seen = await page.evaluate<readonly string[]>(`[...document.querySelectorAll('.tabs a')]
        .filter((tab) => {
          const { left, right } = tab.getBoundingClientRect()
          return left >= 0 && right <= innerWidth
        })
        .map((tab) => tab.textContent)`)
      return seen.includes(name ?? '')
    }
    for (const path of ['/account', '/account/security', '/account/activity']) {
      await page.goto(`${gallery.origin}${path}?language=de`)
      expect((await page.locator('.tabs').boundingBox())?.height, path).to.be.lessThan(64)
      const current = page.locator('.tabs [aria-current]')
      const name = await current.textContent()
      await until(() => areInSight(name), 5_000, `${path}: the current tab in sight`)
      await tabs.first().focus()
      for (let at = 1; at < (await tabs.count()); at++) await page.keyboard.press('Tab')
      const last = await tabs.last().textContent()
      expect(await page.evaluate('document.activeElement.textContent')).to.equal(last)
      await until(() => areInSight(last), 5_000, `${path}: the last tab in sight`)
    }
    expect(faults).to.deep.equal([])
    await close()
  })

  it('break the addresses in the report of a test sign-in between words', async () => {
    const { page, close } = await newPage({ viewport: { width: 320, height: 568 } })
    for (const path of ['/sign-in/test/works', '/sign-in/test/saml']) {
      await page.goto(gallery.origin + path)
      const cut = await page.evaluate<readonly string[]>(`(() => {
        const texts = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT)
        const cut = []
        while (texts.nextNode()) {
          const text = texts.currentNode
          if (text.parentElement.closest('pre')) continue
          // Ids are in upper case, and have no words.
          for (const { 0: word, index } of text.data.matchAll(/[a-z]{3,}/g)) {
            const range = document.createRange()
            range.setStart(text, index)
            range.setEnd(text, index + word.length)
            const lines = new Set([...range.getClientRects()].map(({ top }) => top))
            if (lines.size > 1) cut.push(word)
          }
        }
        return cut
      })()`)
      expect(cut, path).to.deep.equal([])
    }
    await close()
  })

  it('forward a form automatically, exactly as given, and with a button if there is no JavaScript', async () => {
    const expected = { code: 'c"<>', state: 'a&b', submit: 'x' }
    const scripted = await newPage()
    await scripted.page.goto(`${gallery.origin}/form-post`)
    await scripted.page.waitForURL('**/posted')
    expect(JSON.parse(await scripted.page.innerText('body'))).to.deep.equal(expected)
    expect(scripted.faults).to.deep.equal([])
    expect(gallery.posts.at(-1)).to.equal(gallery.origin)
    await scripted.close()

    const plain = await newPage({ javaScript: false })
    await plain.page.goto(`${gallery.origin}/form-post`)
    await plain.page.click('text=Continue >> visible=true')
    await plain.page.waitForURL('**/posted')
    expect(JSON.parse(await plain.page.innerText('body'))).to.deep.equal(expected)
    await plain.close()
  })

  it('explain that passkeys need JavaScript if there is none, and still lead back', async () => {
    const service = await testService()
    const ask = (language: string) =>
      fetch(`${service.publicUrl}/sign-in`, { headers: { 'accept-language': language } })
    for (const [accepted, language] of [
      ['de-AT,de;q=0.9,en;q=0.8', 'de'],
      ['fr, en;q=0.5', 'en'],
      [','.repeat(8192), 'en'],
    ] as const) {
      const answer = await ask(accepted)
      expect(answer.headers.get('content-language')).to.equal(language)
      expect(answer.headers.get('vary')).to.equal('Accept-Language')
      expect(await answer.text()).to.contain(`<html lang="${language}">`)
    }
    const application = await askingApplication(service)
    const { page, close } = await newPage({ javaScript: false })
    await application.ask(page)
    expect(await page.isVisible('noscript .notice')).to.equal(true)
    expect(await page.isVisible('[data-action="passkey"]')).to.equal(false)
    await page.click(`text=Back to ${application.name}`)
    expect(await application.refused(page)).to.equal('access_denied')
    await close()
    await application.close()
    await service.stop()
  })

  it('have a policy that blocks a stray inline script or style', async () => {
    const { page, faults, close } = await newPage()
    await page.route('**/strays', (route) =>
      route.fulfill({
        contentType: 'text/html',
        headers: { 'content-security-policy': contentSecurityPolicy() },
        body: '<p style="color:red">x</p><script>document.title = "ran"</script>',
      }),
    )
    await page.goto(`${gallery.origin}/strays`)
    await until(() => faults.filter((fault) => fault.startsWith('policy:')).length === 2)
    expect(await page.title()).to.equal('')
    await close()
  })

  it('let a form be redirected to an application only if the policy names it', async () => {
    const application = await openPageGallery()
    const target = `${application.origin}/elsewhere?error=access_denied`
    const leave = async (policy: string): Promise<WatchedPage> => {
      const browser = await newPage()
      await browser.page.route('**/form', (route) =>
        route.fulfill({
          contentType: 'text/html',
          headers: { 'content-security-policy': policy },
          body: `<form method="post" action="/leave"><button name="to" value="${target}">Back</button></form>`,
        }),
      )
      await browser.page.goto(`${gallery.origin}/form`)
      await browser.page.click('button')
      return browser
    }
    const allowed = await leave(contentSecurityPolicy([target]))
    await allowed.page.waitForURL(target)
    expect(allowed.faults).to.deep.equal([])
    await allowed.close()
    const refused = await leave(contentSecurityPolicy())
    await until(() => refused.faults.some((fault) => fault.includes('form-action')))
    expect(refused.page.url()).to.equal(`${gallery.origin}/form`)
    await refused.close()
    await application.close()
  })

  it('name the application in error texts and never interpret a hostile name as a pattern', () => {
    expect(errorText('ERR_NOT_ASSIGNED', 'A $& B').message).to.include('has access to A $& B.')
    expect(errorText('ERR_STRONGER_AUTH_REQUIRED').message).to.match(/^This application requires/)
    expect(errorText('constructor').status).to.equal(500)
  })

  it('allow forms to submit only to the declared targets', () => {
    expect(contentSecurityPolicy(['https://app.test/cb?x=1', 'com.example.app:/cb'])).to.include(
      "form-action 'self' https://app.test com.example.app:;",
    )
  })
})
