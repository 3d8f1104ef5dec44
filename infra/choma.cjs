// Loads choma, which shuffles tests, where Node itself loads the modules: choma asks `require` for mocha, an ES module,
// and takes what it gets for the class, which is its default export.
const entry = require.resolve('mocha')
const whole = require('mocha')
require.cache[entry].exports = whole.default
require('choma')
require.cache[entry].exports = whole
