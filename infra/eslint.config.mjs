// Run from the top of the repository: `eslint -c infra/eslint.config.mjs .`
import { fileURLToPath } from 'node:url'
import tseslint from 'typescript-eslint'

const impure = (name, what) => ({ name, message: `${what} is passed in: the domain stays pure.` })
const impureGlobals = [
  impure('process', 'The environment'),
  impure('fetch', 'The network'),
  impure('crypto', 'Randomness'),
  impure('performance', 'Time'),
  impure('setTimeout', 'Time'),
  impure('setInterval', 'Time'),
  impure('setImmediate', 'Time'),
  impure('queueMicrotask', 'Time'),
  impure('console', 'A logger'),
  impure('globalThis', 'Anything global'),
  { name: 'Buffer', message: 'The domain holds bytes as Uint8Array.' },
]

const impureSyntax = [
  { selector: "MemberExpression[object.name='Date'][property.name='now']", message: 'Time is passed in.' },
  { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: 'Time is passed in.' },
  { selector: "CallExpression[callee.name='Date']", message: 'Time is passed in.' },
  {
    selector: "MemberExpression[object.name='Math'][property.name='random']",
    message: 'Randomness is passed in.',
  },
]

const noBarrels = {
  selector: 'ExportAllDeclaration',
  message: 'No barrel files: import from the file that declares the name.',
}

const respond = 'Responses are written by adapters/inbound/http/respond.ts.'
const writing = [
  {
    selector: 'CallExpression[callee.property.name=/^(?:writeHead|writeContinue|flushHeaders)$/]',
    message: respond,
  },
  {
    selector:
      'CallExpression[callee.object.name=/^(?:response|res)$/][callee.property.name=/^(?:write|end)$/]',
    message: respond,
  },
  {
    selector: "AssignmentExpression[left.object.name=/^(?:response|res)$/][left.property.name='statusCode']",
    message: respond,
  },
]

export default tseslint.config(
  {
    ignores: [
      '**/node_modules/',
      '.build*/',
      '.coverage/',
      '.data/',
      '.screenshots/',
      '**/*.cjs',
      '**/*.d.ts',
    ],
  },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: ['**/*.ts', '**/*.mjs'],
    languageOptions: { parser: tseslint.parser },
    plugins: { '@typescript-eslint': tseslint.plugin },
    rules: {
      eqeqeq: 'error',
      'max-lines': ['error', { max: 400 }],
      'no-console': 'error',
      'no-restricted-syntax': ['error', noBarrels],
      'no-restricted-exports': [
        'error',
        { restrictDefaultExports: { direct: true, named: true, defaultFrom: true, namedFrom: true } },
      ],
      'no-warning-comments': ['error', { terms: ['todo', 'fixme', 'xxx'], location: 'start' }],
      'no-constant-binary-expression': 'error',
      'no-control-regex': 'error',
      'no-fallthrough': 'error',
      'no-self-compare': 'error',
      'no-template-curly-in-string': 'error',
      'no-useless-rename': 'error',
      'no-var': 'error',
      'default-case-last': 'error',
      'object-shorthand': ['error', 'properties'],
      'prefer-const': 'error',
    },
  },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: fileURLToPath(new URL('..', import.meta.url)) },
    },
    rules: {
      '@typescript-eslint/consistent-type-exports': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'separate-type-imports' }],
      '@typescript-eslint/no-import-type-side-effects': 'error',
      '@typescript-eslint/prefer-optional-chain': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', caughtErrors: 'none', ignoreRestSiblings: true },
      ],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/no-confusing-void-expression': 'off',
      '@typescript-eslint/no-invalid-void-type': ['error', { allowInGenericTypeArguments: true }],
      '@typescript-eslint/no-misused-spread': ['error', { allow: ['string'] }],
      // Under noUncheckedIndexedAccess, the idiom for an index that was just checked.
      '@typescript-eslint/no-non-null-assertion': 'off',
      // Does not see a variable change in a closure (`while (!stopped) await …`).
      '@typescript-eslint/no-unnecessary-condition': 'off',
      '@typescript-eslint/no-dynamic-delete': 'off',
      // Ports are plain objects of functions that hold no `this`.
      '@typescript-eslint/unbound-method': 'off',
      // An implementation of an asynchronous port may have nothing to wait for.
      '@typescript-eslint/require-await': 'off',
      // Used once, a type parameter still names what the caller chooses (typed rows of a query).
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
    },
  },
  {
    files: ['domain/**/*.ts'],
    rules: {
      'no-restricted-globals': ['error', ...impureGlobals],
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            { regex: '^[^.]', message: 'domain/ imports neither packages nor core modules.' },
            {
              regex: '/(?:adapters|cli|infra|projections|read-models|tests)/',
              message: 'domain/ imports nothing outside domain/.',
            },
          ],
        },
      ],
      'no-restricted-syntax': ['error', noBarrels, ...impureSyntax],
    },
  },
  {
    files: ['adapters/**/*.ts', 'cli/**/*.ts'],
    ignores: ['adapters/inbound/http/respond.ts'],
    rules: { 'no-restricted-syntax': ['error', noBarrels, ...writing] },
  },
  {
    files: ['adapters/**/*.ts', 'cli/**/*.ts'],
    ignores: ['adapters/inbound/http/app.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          name: 'express',
          message: 'Express is the shell alone: endpoints are rows of the table (table.ts).',
        },
      ],
    },
  },
  {
    files: ['adapters/inbound/web/browser/**/*.ts'],
    languageOptions: { parserOptions: { projectService: false, project: './infra/tsconfig.browser.json' } },
  },
  { files: ['cli/**', 'infra/**'], rules: { 'no-console': 'off' } },
  // The linter asks for a default export here.
  { files: ['infra/eslint.config.mjs'], rules: { 'no-restricted-exports': 'off' } },
  {
    files: ['tests/**/*.ts'],
    rules: {
      'no-console': 'off',
      // chai's `expect(x).to.be.true` is a statement.
      '@typescript-eslint/no-unused-expressions': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-empty-function': 'off',
      '@typescript-eslint/restrict-template-expressions': 'off',
    },
  },
)
