import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { expect } from 'chai'

const top = resolve(import.meta.dirname, '..', '..')
const results = /^(passes|warning: .+|skipped: .+)$/

/** Returns the modules of each plan from its heading and table. */
const documented = (markdown: string): { plan: string; modules: { name: string; result: string }[] }[] =>
  markdown
    .split(/^## /m)
    .slice(1)
    .flatMap((section) => {
      const plans = [...(section.split('\n', 1)[0] ?? '').matchAll(/`(oidcc-[a-z-]+)`/g)].map(
        ([, plan = '']) => plan,
      )
      const rows = [...section.matchAll(/^\| `(oidcc-[a-z0-9-]+)` *\|.*\| *(.*?)(?: †)? *\|$/gm)]
      const modules = rows.map(([, name = '', result = '']) => ({ name, result }))
      return plans.map((plan) => ({ plan, modules }))
    })

/** Modules by the spec that mirrors them; a plan whose requests differ only in their mode runs the same tests. */
const plans: readonly (readonly [plan: string, spec: string, modules: number])[] = [
  ['oidcc-basic-certification-test-plan', 'basic', 38],
  ['oidcc-formpost-basic-certification-test-plan', 'basic', 38],
  ['oidcc-config-certification-test-plan', 'config', 1],
  ['oidcc-rp-initiated-logout-certification-test-plan', 'logout', 11],
  ['oidcc-backchannel-rp-initiated-logout-certification-test-plan', 'logout', 2],
]

/** The tests below each heading of a spec, and those that every plan of the spec runs. */
const mirrored = (spec: string, plan: string): readonly string[] => {
  const titles = (source: string) =>
    [...source.matchAll(/\bit\('(oidcc-[a-z0-9-]+) /g)].map(([, title = '']) => title)
  const [common = '', ...sections] = spec.split(/\bdescribe\('(?=oidcc-)/)
  const section = sections.find((each) => each.startsWith(`${plan}'`))
  if (section === undefined) throw new Error(`no test mirrors ${plan}`)
  return [...titles(common), ...titles(section)]
}

describe('infra/docs/conformance.md', () => {
  for (const [plan, name, modules] of plans)
    it(`lists the modules of ${plan}, and the tests are the same`, async () => {
      const tables = documented(await readFile(join(top, 'infra', 'docs', 'conformance.md'), 'utf8'))
      const table = tables.find((each) => each.plan === plan)
      const spec = await readFile(join(top, 'tests', 'protocol', 'conformance', `${name}.spec.ts`), 'utf8')
      const tests = mirrored(spec, plan)
      expect(tests).to.have.length(modules)
      expect(table?.modules.map((module) => module.name)).to.deep.equal(tests)
      for (const module of table?.modules ?? []) expect(module.result, module.name).to.match(results)
    })

  it('every test of the specs belongs to a plan', async () => {
    for (const name of new Set(plans.map(([, spec]) => spec))) {
      const spec = await readFile(join(top, 'tests', 'protocol', 'conformance', `${name}.spec.ts`), 'utf8')
      const named = plans.filter(([, each]) => each === name).flatMap(([plan]) => mirrored(spec, plan))
      expect(new Set(named)).to.have.property('size', [...spec.matchAll(/\bit\(/g)].length)
    }
  })
})
