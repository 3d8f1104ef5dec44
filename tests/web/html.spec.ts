import { expect } from 'chai'
import fc from 'fast-check'
import { escape, html, render, safeUrl } from '../../adapters/kernel/html.ts'
import { newPage, type WatchedPage } from '../support/browser/browser.ts'

const hostile = fc.oneof(
  { weight: 2, arbitrary: fc.string({ unit: 'binary' }) },
  {
    weight: 3,
    arbitrary: fc
      .array(
        fc.constantFrom(
          ...[
            '<',
            '>',
            '"',
            "'",
            '&',
            '&lt;',
            '&#60;',
            '`',
            '=',
            '/',
            ' ',
            '\n',
            '--',
            '<!--',
            '-->',
            '</p>',
          ],
          ...[
            '<script>',
            '</script>',
            '<img src=x onerror=alert(1)>',
            '" onload="',
            '</title>',
            '</textarea>',
          ],
          ...['<svg><style>', ']]>', 'javascript:', 'a'],
        ),
        { maxLength: 8 },
      )
      .map((parts) => parts.join('')),
  },
)

interface Parsed {
  readonly tags: string
  readonly names: string
  readonly text: string
  readonly title: string
}

/** Parses with the browser's own parser; returns the elements, their attributes, and the resulting values. */
const parse = (page: WatchedPage['page'], markup: string): Promise<Parsed> =>
  page.evaluate<Parsed>(`(() => {
    const parsed = new DOMParser().parseFromString(${JSON.stringify(`<!doctype html><body>${markup}`)}, 'text/html')
    const all = [...parsed.body.querySelectorAll('*')]
    return {
      tags: all.map(({ localName }) => localName).join(),
      names: all.flatMap(({ attributes }) => [...attributes].map(({ name }) => name)).join(),
      text: parsed.querySelector('p').textContent,
      title: parsed.querySelector('p').title,
    }
  })()`)

/** The HTML parser replaces NUL and normalizes line ends; nothing else may change. */
const asParsed = (value: string): string => value.replace(/\r\n?/g, '\n')

describe('html templates', function () {
  this.timeout(120_000)
  let browser: WatchedPage

  before(async () => {
    browser = await newPage()
  })
  after(() => browser.close())

  it('let no value become markup, in text, in attributes and in nested lists', async () => {
    const text = hostile.map((value) => value.replaceAll('\0', ''))
    await fc.assert(
      fc.asyncProperty(text, text, text, async (inText, inAttribute, spread) => {
        const items = [html`<b>${inText}</b>`, inText]
        const markup = render(
          html`<p title="${inAttribute}" ${{ 'data-x': spread, hidden: true, lang: false }}>${inText}</p>
            <ul ${{ class: spread }}>
              ${items}
            </ul>`,
        )
        const parsed = await parse(browser.page, markup)
        expect(parsed.tags).to.equal('p,ul,b')
        expect(parsed.names).to.equal('title,data-x,hidden,class')
        expect(parsed.text).to.equal(asParsed(inText))
        expect(parsed.title).to.equal(asParsed(inAttribute))
      }),
      { numRuns: 400 },
    )
  })

  it('link to and load relative and http(s) URLs only, as the browser interprets them', async () => {
    const scheme = fc.constantFrom(
      ...[
        'javascript:',
        'JaVaScRiPt:',
        ' javascript:',
        'java\nscript:',
        'java\tscript:',
        '\u0001javascript:',
      ],
      ...[
        'data:text/html,',
        'vbscript:',
        'blob:',
        'file:///',
        'https:',
        'http://h/',
        '//h/',
        '/',
        '?',
        '#',
        '',
      ],
    )
    await fc.assert(
      fc.asyncProperty(scheme, hostile, async (start, rest) => {
        const url = `${start}${rest}`.replaceAll('\0', '')
        const markup = render(html`<a href="${url}"></a><img ${{ src: url }} />`)
        const protocols = await browser.page.evaluate<string[]>(`(() => {
          const parsed = new DOMParser().parseFromString(${JSON.stringify(markup)}, 'text/html')
          const base = parsed.createElement('base')
          base.href = 'https://service.test/'
          parsed.head.append(base)
          const link = parsed.querySelector('a')
          const image = new URL(parsed.querySelector('img').getAttribute('src'), 'https://service.test/')
          return [link.protocol, image.protocol]
        })()`)
        for (const protocol of protocols) expect(['http:', 'https:']).to.include(protocol)
      }),
      { numRuns: 300 },
    )
    expect(['/a?b#c', 'x', 'https://a.test/'].map(safeUrl)).to.deep.equal(['/a?b#c', 'x', 'https://a.test/'])
  })

  it('reject templates and values that they cannot make safe', () => {
    const code = 'alert(1)'
    const unsafe: readonly (() => unknown)[] = [
      () => html`<a href=${code}>x</a>`,
      () => html`<a onclick="${code}">x</a>`,
      () => html`<a ${{ onclick: code }}>x</a>`,
      () => html`<a ${{ 'x y': code }}>x</a>`,
      () => html`<a ${{ style: code }}>x</a>`,
      () => html`<a ${code}>x</a>`,
      () => html`<a title="${html`<b></b>`}">x</a>`,
      () => html`<iframe srcdoc="${code}"></iframe>`,
      () => html`<script>${code}</script>`, // prettier-ignore
      () =>
        html`<script src="${code}">
          ${code}
        </script>`,
      () => html`<style>${code}</style>`, // prettier-ignore
      () => html`<!-- ${code} -->`,
      () => html`<${code}></${code}>`,
      () => html`<p title="x`,
      () => html`${{ title: 'x' }}`,
    ]
    for (const attempt of unsafe) expect(attempt, attempt.toString()).to.throw(TypeError)
  })

  it('omit absent values and keep zero', () => {
    expect(render(html`<p>${null}${undefined}${false}${0}${''}${[1, [html`<i></i>`, '<']]}</p>`)).to.equal(
      '<p>01<i></i>&lt;</p>',
    )
    expect(escape(`&<>"'`)).to.equal('&amp;&lt;&gt;&quot;&#39;')
  })
})
