package org.example.money;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MoneyTest {
    /** What is compared are texts and numbers: the equality of amounts is part of the code under test. */
    private static void isShared(List<Money> shares, String... texts) {
        assertEquals(List.of(texts), shares.stream().map(Money::toString).toList());
        assertEquals(Arrays.stream(texts).map(MoneyTest::cents).toList(), shares.stream().map(Money::cents).toList());
    }

    private static long cents(String text) {
        return Long.parseLong(text.replace(".", ""));
    }

    private static long sum(List<Money> shares) {
        return shares.stream().mapToLong(Money::cents).sum();
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.00", "12.50", "-0.05", "1000000.00"})
    void writesWhatItReads(String text) {
        assertEquals(text, Money.parse(text).toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1.5", "1,50", "--1", "1.500"})
    void refusesOtherTexts(String text) {
        assertThrows(IllegalArgumentException.class, () -> Money.parse(text));
    }

    @Test
    void splitsIntoEqualParts() {
        isShared(Money.parse("100").split(3), "33.34", "33.33", "33.33");
        isShared(Money.parse("0.02").split(3), "0.01", "0.01", "0.00");
    }

    @Test
    void allocatesByRatios() {
        isShared(Money.parse("100").allocate(70, 20, 10), "70.00", "20.00", "10.00");
        isShared(Money.parse("0.05").allocate(1, 2), "0.02", "0.03");
    }

    @Test
    void refusesRatiosThatMakeNoSense() {
        assertThrows(IllegalArgumentException.class, () -> Money.parse("1").allocate(0, 0));
        assertThrows(IllegalArgumentException.class, () -> Money.parse("1").allocate(1, -1));
        assertThrows(IllegalArgumentException.class, () -> Money.parse("1").split(0));
    }

    @Test
    void losesNothingOfAnAmountBelowZero() {
        isShared(Money.parse("-100").split(3), "-33.34", "-33.33", "-33.33");
        isShared(Money.parse("-0.05").allocate(1, 2), "-0.02", "-0.03");
    }

    @Test
    void givesNothingToAShareOfNothing() {
        isShared(Money.parse("0.03").allocate(0, 1, 1), "0.00", "0.02", "0.01");
        isShared(Money.parse("-0.03").allocate(0, 1, 1), "0.00", "-0.02", "-0.01");
    }

    @Test
    void allocatesAmountsThatAreLarge() {
        Money large = new Money(9_000_000_000_000_000_00L);
        List<Money> shares = large.allocate(1_000, 1_000, 1_000);
        assertEquals(large.cents(), sum(shares));
        assertEquals(3_000_000_000_000_000_00L, shares.get(0).cents());
    }

    @Test
    void allocatesByRatiosThatAreLarge() {
        int half = Integer.MAX_VALUE;
        isShared(Money.parse("0.10").allocate(half, half), "0.05", "0.05");
    }

    @ParameterizedTest
    @ValueSource(longs = {-1001, -7, -1, 0, 1, 7, 1001})
    void sharesAddUp(long cents) {
        Money amount = new Money(cents);
        for (int[] ratios : new int[][] {{1, 1, 1}, {0, 3, 0, 4}, {5}, {1, 2, 3, 4, 5, 6, 7}}) {
            List<Money> shares = amount.allocate(ratios);
            assertEquals(ratios.length, shares.size());
            assertEquals(cents, sum(shares));
        }
    }
}
