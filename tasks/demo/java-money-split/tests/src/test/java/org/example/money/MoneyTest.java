package org.example.money;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MoneyTest {
    static List<Money> amounts(String... texts) {
        return Arrays.stream(texts).map(Money::parse).toList();
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
        assertEquals(amounts("33.34", "33.33", "33.33"), Money.parse("100").split(3));
        assertEquals(amounts("0.01", "0.01", "0.00"), Money.parse("0.02").split(3));
    }

    @Test
    void allocatesByRatios() {
        assertEquals(amounts("70.00", "20.00", "10.00"), Money.parse("100").allocate(70, 20, 10));
        assertEquals(amounts("0.02", "0.03"), Money.parse("0.05").allocate(1, 2));
    }

    @Test
    void refusesRatiosThatMakeNoSense() {
        assertThrows(IllegalArgumentException.class, () -> Money.parse("1").allocate(0, 0));
        assertThrows(IllegalArgumentException.class, () -> Money.parse("1").allocate(1, -1));
        assertThrows(IllegalArgumentException.class, () -> Money.parse("1").split(0));
    }

    @Test
    void losesNothingOfAnAmountBelowZero() {
        assertEquals(amounts("-33.34", "-33.33", "-33.33"), Money.parse("-100").split(3));
        assertEquals(amounts("-0.02", "-0.03"), Money.parse("-0.05").allocate(1, 2));
    }

    @Test
    void givesNothingToAShareOfNothing() {
        assertEquals(amounts("0.00", "0.02", "0.01"), Money.parse("0.03").allocate(0, 1, 1));
        assertEquals(amounts("0.00", "-0.02", "-0.01"), Money.parse("-0.03").allocate(0, 1, 1));
    }

    @Test
    void allocatesAmountsThatAreLarge() {
        Money large = new Money(9_000_000_000_000_000_00L);
        List<Money> shares = large.allocate(1_000, 1_000, 1_000);
        assertEquals(large, shares.stream().reduce(new Money(0), Money::plus));
        assertEquals(new Money(3_000_000_000_000_000_00L), shares.get(0));
    }

    @Test
    void allocatesByRatiosThatAreLarge() {
        int half = Integer.MAX_VALUE;
        assertEquals(amounts("0.05", "0.05"), Money.parse("0.10").allocate(half, half));
    }

    @ParameterizedTest
    @ValueSource(longs = {-1001, -7, -1, 0, 1, 7, 1001})
    void sharesAddUp(long cents) {
        Money amount = new Money(cents);
        for (int[] ratios : new int[][] {{1, 1, 1}, {0, 3, 0, 4}, {5}, {1, 2, 3, 4, 5, 6, 7}}) {
            assertEquals(amount, amount.allocate(ratios).stream().reduce(new Money(0), Money::plus));
        }
    }
}
