module.exports = { testMatch: ["**/*.test.cjs"], transform: {} }
