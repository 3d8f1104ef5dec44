import { createRequire } from 'node:module'
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'

interface Finding {
  readonly id: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
}

/** What axe finds wrong with the page as it is shown, in both themes; empty if nothing. */
export const axeFindingsInBothThemes = async (page: Page): Promise<readonly string[]> => {
  const findings: string[] = []
  for (const colorScheme of ['dark', 'light'] as const) {
    // With reduced motion, the colours of the other theme are shown immediately.
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    findings.push(...(await axeFindings(page)).map((finding) => `${colorScheme}: ${finding}`))
  }
  return findings
}

/** What axe finds wrong with the page as it is shown; empty if nothing. */
export const axeFindings = async (page: Page): Promise<readonly string[]> => {
  const source = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
  if (!(await page.evaluate<boolean>('"axe" in globalThis'))) await page.evaluate(source)
  const { violations } = await page.evaluate<{ violations: Finding[] }>(
    'axe.run({ resultTypes: ["violations"] })',
  )
  return violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.html} ${node.failureSummary}`),
  )
}
