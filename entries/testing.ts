/** `asof/testing`: the tests that every implementation of `Engine` must pass, as `@asof/core/testing` gives them. */
export * from '@asof/core/testing'
