/** Generates the page of requirements from the ids at the beginning of test titles. */
import { readFileSync, readdirSync } from 'node:fs'
import { generated } from './markdown.ts'
import { requirementGroups } from './requirement-list.ts'

const known = new Set(requirementGroups.flatMap(({ statements }) => Object.keys(statements)))
const areas = new Set([...known].map((id) => id.split('-', 1)[0]))

const comments = /^\s*(?:\/\/|\/?\*).*$/gm
const ids = /\b([A-Z]{2,4})-\d\d\b/g

/**
 * Returns the ids in a spec, outside its comments.
 * @throws Error for an unknown requirement
 */
const idsIn = (file: string, source: string): ReadonlySet<string> => {
  const citedIds = [...source.replace(comments, '').matchAll(ids)]
    .filter(([, area]) => areas.has(area ?? ''))
    .map(([id]) => id)
  for (const id of citedIds)
    if (!known.has(id)) throw new Error(`${file} contains ${id}: no such requirement`)
  return new Set(citedIds)
}

/** Returns the page: each requirement with the specs that prove it. */
export const requirementsPage = (root: URL): string => {
  const specs = readdirSync(new URL('tests/', root), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.spec.ts'))
    .map((path) => `tests/${path}`)
    .sort()
    .map((file) => ({ file, carries: idsIn(file, readFileSync(new URL(file, root), 'utf8')) }))
  const linesOf = (id: string, statement: string): string => {
    const proving = specs.filter(({ carries }) => carries.has(id))
    return [
      `- **${id}** ${statement}`,
      ...proving.map(({ file }) => `  - [${file}](../../${file})`),
      ...(proving.length === 0 ? ['  - no test has this id'] : []),
    ].join('\n')
  }
  return [
    generated('the titles of tests'),
    '# Requirements and the tests that prove them',
    'The title of a test begins with the id of the requirement that the test proves.\n`npm test -- --grep OIDC-06` runs the tests of one requirement.',
    ...requirementGroups.map(
      ({ title, statements }) =>
        `## ${title}\n\n${Object.entries(statements)
          .map(([id, statement]) => linesOf(id, statement))
          .join('\n')}`,
    ),
  ].join('\n\n')
}
