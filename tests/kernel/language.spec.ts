import { expect } from 'chai'
import fc from 'fast-check'
import { languageOf, languageOfHeader, languageOfList } from '../../adapters/kernel/language.ts'

describe('the language of pages and emails', () => {
  it('is that of a language tag, if it is supported', () => {
    const table: readonly (readonly [string | null | undefined, string | null])[] = [
      ...([
        ['de', 'de'],
        ['de-AT', 'de'],
        ['DE-ch-1996', 'de'],
        ['de_DE', 'de'],
      ] as const),
      ...([
        ['en', 'en'],
        ['en-GB', 'en'],
        ['EN', 'en'],
      ] as const),
      ...([
        ['fr', null],
        ['den', null],
        ['d', null],
        ['', null],
        [null, null],
        [undefined, null],
      ] as const),
    ]
    for (const [tag, language] of table) expect(languageOf(tag), String(tag)).to.equal(language)
  })

  it('is the preferred one of an Accept-Language header, by its quality values', () => {
    const table: readonly (readonly [string | undefined, string])[] = [
      ...([
        ['de', 'de'],
        ['de-AT,de;q=0.9,en;q=0.8', 'de'],
        ['fr-FR, de;q=0.5, en;q=0.4', 'de'],
      ] as const),
      ...([
        ['en;q=0.8, de;q=0.9', 'de'],
        ['en, de', 'en'],
        ['de, en', 'de'],
        ['DE ; Q=1.000', 'de'],
      ] as const),
      ...([
        [undefined, 'en'],
        ['', 'en'],
        ['fr', 'en'],
        ['*', 'en'],
        ['fr, *;q=0.1', 'en'],
      ] as const),
      ...([
        ['de;q=0', 'en'],
        ['de;q=0, *', 'en'],
        ['en;q=0, *', 'de'],
        ['de;q=0.000,en', 'en'],
      ] as const),
      ...([
        ['de;q=2', 'en'],
        ['de;q=-1', 'en'],
        ['de;q=x', 'en'],
        ['de;q=1;q=1', 'en'],
        ['de;', 'en'],
      ] as const),
      ...([
        ['den', 'en'],
        ['de-', 'en'],
        [';;;,,de', 'de'],
        ['x'.repeat(2000), 'en'],
      ] as const),
      // Only the beginning of a long value counts, without a part that was cut off.
      [`${'x,'.repeat(499)}de-DE`, 'en'],
    ]
    for (const [header, language] of table) expect(languageOfHeader(header), header).to.equal(language)
  })

  it('is the first supported one of ui_locales', () => {
    expect(languageOfList('fr-CA de en')).to.equal('de')
    expect(languageOfList('en de')).to.equal('en')
    for (const none of [undefined, '', 'fr', ' ', 'se x']) expect(languageOfList(none)).to.equal(null)
  })

  it('is English after 8 kB of commas, quickly', () => {
    for (const unit of [',', ';', ' ', 'a;q=', '-', 'a-', '*,', 'q=0.'])
      expect(languageOfHeader(unit.repeat(8192 / unit.length))).to.equal('en')
    const started = performance.now()
    for (let i = 0; i < 100; i++) languageOfHeader(','.repeat(8192))
    expect(performance.now() - started).to.be.below(1000)
  })

  it('is chosen for any text, and never fails', () => {
    const part = fc.constantFrom('de', 'en', '*', 'fr', ',', ';', 'q=', '0.5', '1', '0', '-', ' ', '\t', 'ü')
    const header = fc.oneof(
      fc.string(),
      fc.array(part, { maxLength: 40 }).map((parts) => parts.join('')),
    )
    fc.assert(
      fc.property(header, (text) => {
        expect(languageOfHeader(text)).to.be.oneOf(['en', 'de'])
        expect(languageOfList(text)).to.be.oneOf(['en', 'de', null])
        expect(languageOf(text)).to.be.oneOf(['en', 'de', null])
      }),
    )
  })
})
