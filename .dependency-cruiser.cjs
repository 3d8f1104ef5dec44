// The rooms and who may know whom. `npm run layers` holds the code to it; tests/infra/layers.spec.ts proves that it bites.
const inside = (...rooms) => `^(?:${rooms.join('|')})/`
const rooms = ['domain', 'read-models', 'projections', 'adapters', 'cli', 'tests', 'infra']

/** What a room may import, besides itself and packages. `cli`, `tests` and `infra` see everything but tests. */
const mayImport = {
  'read-models': ['domain'],
  projections: ['domain', 'read-models'],
  adapters: ['domain', 'read-models'],
  cli: ['domain', 'read-models', 'projections', 'adapters'],
}

const roomRules = Object.entries(mayImport).map(([room, known]) => ({
  name: `${room}-knows-only-its-own`,
  severity: 'error',
  comment: `${room}/ may import ${known.join(', ')} and packages.`,
  from: { path: inside(room) },
  to: { path: inside(...rooms.filter((other) => other !== room && !known.includes(other))) },
}))

module.exports = {
  forbidden: [
    {
      name: 'domain-knows-only-domain',
      severity: 'error',
      comment: 'domain/ is pure: no other room, no npm package, no core module.',
      from: { path: inside('domain') },
      to: { pathNot: inside('domain') },
    },
    ...roomRules,
    {
      name: 'nothing-imports-tests',
      severity: 'error',
      from: { pathNot: inside('tests') },
      to: { path: inside('tests') },
    },
    {
      name: 'browser-code-stands-alone',
      severity: 'error',
      comment:
        'Code for the browser is bundled: it may import its own folder and packages, never server code.',
      from: { path: '^adapters/web/browser/' },
      to: { path: inside(...rooms), pathNot: '^adapters/web/browser/' },
    },
    {
      name: 'server-code-leaves-browser-code-alone',
      severity: 'error',
      from: { pathNot: '^(?:adapters/web/browser|tests|infra)/' },
      to: { path: '^adapters/web/browser/' },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      comment: 'Types count too: a cycle of types is still two files that cannot be understood apart.',
      from: {},
      to: { circular: true },
    },
    {
      name: 'resolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'no-dev-packages-in-the-product',
      severity: 'error',
      from: { pathNot: '^(?:tests|infra|adapters/web/browser)/' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'declared-packages-only',
      severity: 'error',
      from: {},
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(?:\\.build|\\.coverage|\\.data)' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      mainFields: ['module', 'main', 'types', 'typings'],
    },
    skipAnalysisNotInRules: true,
  },
}
