import fc from 'fast-check'

// Which test fails is asked, not the smallest case of its failure, whose search takes longer than the test.
fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true })
