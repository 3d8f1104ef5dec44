import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { expect } from 'chai'

const top = resolve(import.meta.dirname, '..', '..')
const results = /^(passes|warning: .+|skipped: .+)$/

/** Plan → modules, as a heading and its table list them. */
const documented = (markdown: string): { plan: string; modules: { name: string; result: string }[] }[] =>
  markdown
    .split(/^## /m)
    .slice(1)
    .flatMap((section) => {
      const plan = /^.*`(oidcc-[a-z-]+)`/.exec(section)?.[1]
      const rows = [...section.matchAll(/^\| `(oidcc-[a-z0-9-]+)` *\|.*\| *(.*?)(?: †)? *\|$/gm)]
      const modules = rows.map(([, name = '', result = '']) => ({ name, result }))
      return plan === undefined ? [] : [{ plan, modules }]
    })

describe('infra/docs/conformance.md', () => {
  const plans = { basic: 38, config: 1, 'rp-initiated-logout': 11 }

  for (const [name, modules] of Object.entries(plans))
    it(`lists the modules of the ${name} plan, and the tests are the same`, async () => {
      const tables = documented(await readFile(join(top, 'infra', 'docs', 'conformance.md'), 'utf8'))
      const table = tables.find(({ plan }) => plan === `oidcc-${name}-certification-test-plan`)
      const spec = await readFile(join(top, 'tests', 'protocol', 'conformance', `${name}.spec.ts`), 'utf8')
      expect(/^describe\('([^']+)'/m.exec(spec)?.[1]).to.equal(table?.plan)
      const tests = [...spec.matchAll(/^ {2}it\('(oidcc-[a-z0-9-]+) /gm)].map(([, title]) => title)
      expect(tests).to.have.length(modules)
      expect(table?.modules.map((module) => module.name)).to.deep.equal(tests)
      expect(tests).to.have.length([...spec.matchAll(/\bit\(/g)].length)
      for (const module of table?.modules ?? []) expect(module.result, module.name).to.match(results)
    })
})
