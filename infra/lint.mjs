// Rules of this code base for the linter, each a list of patterns (selectors of syntax nodes) with the reason.
const purity = (what) => `${what} is passed in: the domain stays pure.`
const respond = 'Responses are written by adapters/inbound/http/respond.ts.'

const patterns = {
  'no-barrels': {
    ExportAllDeclaration: 'No barrel files: import from the file that declares the name.',
  },
  'pure-domain': {
    "MemberExpression[object.name='Date'][property.name='now']": purity('Time'),
    "NewExpression[callee.name='Date'][arguments.length=0]": purity('Time'),
    "CallExpression[callee.name='Date']": purity('Time'),
    "MemberExpression[object.name='Math'][property.name='random']": purity('Randomness'),
  },
  'one-writer': {
    'CallExpression[callee.property.name=/^(?:writeHead|writeContinue|flushHeaders)$/]': respond,
    'CallExpression[callee.object.name=/^(?:response|res)$/][callee.property.name=/^(?:write|end)$/]':
      respond,
    "AssignmentExpression[left.object.name=/^(?:response|res)$/][left.property.name='statusCode']": respond,
  },
}

const rule = (selectors) => ({
  create: (context) =>
    Object.fromEntries(
      Object.entries(selectors).map(([selector, message]) => [
        selector,
        (node) => {
          context.report({ node, message })
        },
      ]),
    ),
})

// The linter loads a default export.
export default {
  meta: { name: 'svc' },
  rules: Object.fromEntries(Object.entries(patterns).map(([name, selectors]) => [name, rule(selectors)])),
}
